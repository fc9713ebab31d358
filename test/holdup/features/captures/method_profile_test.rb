# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/sampled_methods"
require "zlib"

class Holdup::Captures::MethodProfileTest < Minitest::Test
  include SampledMethods

  def test_the_firefox_profiler_gets_a_thread_for_each_name
    threads = firefox.fetch("threads")
    assert_equal ["ReportsController#sales", "thread:cron"], threads.map { |thread| thread["name"] }
    assert_equal [[71.0, 9.0, 20.0], [5.0]], threads.map { |thread| thread["samples"]["weight"] }
    assert_equal [[0.0, 71.0, 80.0], [0.0]], threads.map { |thread| thread["samples"]["time"] }
  end

  def test_stacks_go_from_the_name_to_the_method_to_what_it_called
    thread = firefox.fetch("threads").first
    assert_equal [
      ["ReportsController#sales", "SalesReport#rows:41", "Array#sort_by"],
      ["ReportsController#sales", "SalesReport#rows:41", "(GC)"],
      ["ReportsController#sales", "Pdf#draw:7", "(native C)"]
    ], thread["samples"]["stack"].map { |number| stack(thread, number) }
  end

  def test_pprof_is_compressed
    assert_includes Zlib.gunzip(profile(:pprof)), "SalesReport#rows"
  end

  def test_nothing_was_sampled
    summary = summary([])
    Holdup::Captures::MethodProfile::FORMATS.each do |format|
      error = assert_raises(Holdup::Error) { Holdup::Captures::MethodProfile.call(summary, format) }
      assert_match(/no method made others wait/, error.message)
    end
  end

  private

  def profile(format) = Holdup::Captures::MethodProfile.call(summary, format)

  def firefox = @firefox ||= JSON.parse(profile(:firefox))

  # @return [Array<String>] outermost first
  def stack(thread, number)
    return [] unless number
    frame = thread["stackTable"]["frame"][number]
    function = thread["frameTable"]["func"][frame]
    label = thread["stringArray"][thread["funcTable"]["name"][function]]
    stack(thread, thread["stackTable"]["prefix"][number]) +
      [[label, *thread["frameTable"]["line"][frame]].join(":")]
  end
end
