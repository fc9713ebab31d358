# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/collector/sampler"
require "holdup/segment/directory"

class Holdup::Collector
  class SamplerTest < Minitest::Test
    NS = 1_000_000_000

    def setup
      @sampler = Sampler.new(facts: ->(_pid) { {rss_bytes: 5} })
    end

    def test_again_only_after_a_minute_in_the_store
      headers = {"x" => [header, Holdup::Setting.new(attributes: {})]}
      first = @sampler.samples(headers, "h", 100 * NS)
      assert_equal first, @sampler.samples(headers, "h", 100 * NS), "what was not committed is sampled again"
      @sampler.committed(first)
      assert_empty @sampler.samples(headers, "h", 159 * NS)
      assert_equal [160], @sampler.samples(headers, "h", 160 * NS).map { |sample| sample[:at_s] }
    end

    def test_the_system_knows_better_than_the_segment_and_what_nobody_knows_is_left_out
      sample = @sampler.samples({"x" => [header, Holdup::Setting.new(attributes: {})]}, "h", 0 + 100 * NS).first
      assert_equal [5, 3, Process.pid], sample.values_at(:rss_bytes, :threads, :pid)
      refute sample.key?(:backlog)
    end

    private

    def header
      Dir.mktmpdir("holdup-sampler") do |dir|
        writer = SegmentWriter.new(dir, now_ns: 5)
        writer.gauge(:threads, 3)
        writer.gauge(:rss_bytes, 99)
        return Holdup::Segment::Directory.new(dir).entries.first.read(&:header)
      end
    end
  end
end
