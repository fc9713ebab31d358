# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "shellwords"

class Holdup::Advise::SizingOptionsTest < Minitest::Test
  SizingOptions = Holdup::Advise::SizingOptions
  NOW_S = 1_790_000_000

  def test_sizes_of_memory
    {"1" => 1, "512M" => 512 << 20, "2G" => 2 << 30, "2g" => 2 << 30, "2GB" => 2 << 30, "2GiB" => 2 << 30,
     "1.5K" => 1536, "1T" => 1 << 40, "0.001M" => 1049}.each do |text, bytes|
      assert_equal bytes, bytes(text), text
    end
  end

  def test_refuses_other_sizes
    refused = ["", "0", "0G", "0.001", "0.499B", "-1G", "M", "1P", "1 G", "1e9", "1.5.2G", "1G\n2G", "0x10",
      "1.2345G"]
    refused.each do |text|
      error = assert_raises(Holdup::UsageError, text.inspect) { bytes(text) }
      assert_includes error.message, "--memory can't be #{text.inspect}"
    end
  end

  def test_a_long_wrong_value_is_shortened
    error = assert_raises(Holdup::UsageError) { bytes("x" * 9000) }
    assert_operator error.message.size, :<, 300
  end

  def test_promises
    assert_equal 300_000_000, slo("p95=300ms").limit_ns
    assert_raises(Holdup::UsageError) { slo("p95=300") }
    assert_raises(Holdup::UsageError) { slo("p40=300ms") }
  end

  def test_the_span_ends_now_and_lasts_two_hours
    assert_equal({from_s: NOW_S - 7200, to_s: NOW_S}, SizingOptions.span_of({}, NOW_S))
  end

  def test_two_hours_end_where_the_span_ends
    assert_equal({from_s: 5000 - 7200, to_s: 5000}, SizingOptions.span_of({until: 5000}, NOW_S))
    assert_equal({from_s: 4000, to_s: 5000}, SizingOptions.span_of({since: 4000, until: 5000}, NOW_S))
  end

  def test_refuses_an_empty_span
    [{since: NOW_S}, {since: NOW_S + 1}, {since: 5000, until: 5000}].each do |values|
      error = assert_raises(Holdup::UsageError, values.inspect) { SizingOptions.span_of(values, NOW_S) }
      assert_match(/--since is not before --until/, error.message)
    end
  end

  def test_reads_all_options
    values = parse("--slo", "p99=1s", "--kind", "job", "--app", "shop", "--host", "web-*",
      "--vcpus", "0.5", "--since", "1h", "--until", "30min", "--store", "x.sqlite3", "--lang", "ja")
    assert_equal Holdup::Advise::Sizing::Slo.parse("p99=1s"), values[:slo]
    assert_equal :job, values[:kind]
    assert_equal Holdup::Queries::Origin.new(app: "shop", host: "web-*"), values[:origin]
    assert_in_delta 0.5, values[:vcpus]
    assert_equal NOW_S - 3600, values[:since]
    assert_equal NOW_S - 1800, values[:until]
    assert_equal "x.sqlite3", values[:store]
    assert_equal "ja", values[:language]
  end

  def test_refuses_values_that_can_not_be
    [%w[--kind page], %w[--vcpus 0], %w[--vcpus two], %w[--since tomorrow], %w[--slo fast]].each do |words|
      assert_raises(Holdup::UsageError, words.join(" ")) { parse(*words) }
    end
  end

  # Whatever the time zone: another machine or the night of a change of clocks must not move the span.
  def test_another_command_reads_the_same_recording
    shop = Holdup::Queries::Origin.new(app: "shop")
    fleet = Holdup::Queries::Origin.new(app: "a b; rm", host: "web-*", role: "puma", revision: "3f2a9c1")
    [{}, {origin: shop}, {store: "/tmp/it's mine.sqlite3"}, {origin: fleet, store: "postgres://h/d?x=1&y=2"}]
      .each do |more|
      words = in_zone("Asia/Tokyo") do
        SizingOptions.again(from_s: 1_789_990_001, to_s: 1_789_999_999, **more)
      end
      values = in_zone("America/New_York") { parse(*Shellwords.split(words)) }
      assert_equal({since: 1_789_990_001, until: 1_789_999_999, **more}, values)
    end
  end

  def test_a_command_to_copy_has_no_password
    words = SizingOptions.again(from_s: 0, to_s: 60, store: "postgres://me:secret@db/holdup")
    assert_includes Shellwords.split(words), "postgres://me:***@db/holdup"
  end

  def test_shows_the_span_in_minutes
    from_s = Time.new(2026, 11, 21, 12, 0, 59).to_i
    assert_equal "2026-11-21 12:00 - 2026-11-21 14:01",
      SizingOptions.span_text(from_s:, to_s: from_s + 7201)
  end

  private

  def in_zone(name)
    before = ENV["TZ"]
    ENV["TZ"] = name
    yield
  ensure
    ENV["TZ"] = before
  end

  def bytes(text) = SizingOptions::SizeType.new.read("--memory", text, NOW_S)

  def slo(text) = SizingOptions::SLO.read(text, now_s: NOW_S)

  def parse(*argv)
    options = Holdup::CLI::Options.new("holdup advise [options]", SizingOptions::RECORDING)
    options.parse(argv, now_s: NOW_S).values
  end
end
