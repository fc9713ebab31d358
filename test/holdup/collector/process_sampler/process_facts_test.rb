# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "holdup/loader"

class Holdup::Collector
  class ProcessFactsTest < Minitest::Test
    def test_of_this_process
      facts = ProcessSampler::ProcessFacts.new.call(Process.pid)
      assert_in_delta Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond), facts[:cpu_ns],
        1_000_000_000
      assert_operator facts[:rss_bytes], :>, 5_000_000
      assert_operator facts[:pss_bytes], :<=, facts[:rss_bytes] + 10_000_000
      assert_operator facts[:uss_bytes], :<=, facts[:pss_bytes]
      assert_operator facts[:run_delay_ns], :>=, 0
    end

    def test_reads_the_process_table
      smaps = <<~TEXT
        Rss: 100 kB
        Pss:  60 kB
        Pss_Dirty:  10 kB
        Private_Clean:  7 kB
        Private_Dirty:  30 kB
      TEXT
      files = {"status" => "Name:\truby\nVmRSS:\t  100 kB\n", "stat" => "7 (a) b) S #{"0 " * 10}150 50 0\n",
               "smaps_rollup" => smaps,
               "task/7/schedstat" => "1000 20 3\n", "task/8/schedstat" => "1000 5 3\n"}
      expected = {rss_bytes: 102_400, pss_bytes: 61_440, uss_bytes: 37_888, cpu_ns: 2_000_000_000,
                  run_delay_ns: 25}
      assert_equal expected, facts(files)
    end

    # The kernel cuts a thread's name after 15 bytes, wherever a character ends.
    def test_reads_a_name_that_is_cut_inside_of_a_character
      name = "日本語スレッド".b[0, 14]
      files = {"status" => "Name:\t#{name}\nVmRSS:\t  100 kB\n".b,
               "stat" => "7 (#{name}) S #{"0 " * 10}150 50 0\n".b}
      assert_equal({rss_bytes: 102_400, cpu_ns: 2_000_000_000}, facts(files))
    end

    def test_of_one_that_has_gone
      assert_empty ProcessSampler::ProcessFacts.new.call(4_194_999)
    end

    private

    def facts(files)
      Dir.mktmpdir do |proc|
        files.each do |path, text|
          FileUtils.mkdir_p(File.dirname(File.join(proc, "7", path)))
          File.binwrite(File.join(proc, "7", path), text)
        end
        return ProcessSampler::ProcessFacts.new(proc:, ticks_per_s: 100).call(7)
      end
    end
  end
end
