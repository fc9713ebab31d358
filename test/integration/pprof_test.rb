# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "support/sampled_methods"
require "zlib"

# protoc reads the profile for pprof by the names of its fields, and writes the same again.
class PprofIntegrationTest < Minitest::Test
  include SampledMethods

  FOLDER = File.expand_path("../viewers", __dir__)

  def setup
    super
    @profile = Zlib.gunzip(Holdup::Captures::MethodProfile.call(summary, :pprof))
    @text = protoc("decode", @profile)
  end

  def test_every_field_has_a_name
    refute_match(/^ *\d+[:{ ]/, @text)
    again = protoc("encode", @text)
    assert_equal @text, protoc("decode", again)
  end

  def test_samples_have_their_stack_their_stall_and_their_revision
    assert_equal [
      ["Array#sort_by", "SalesReport#rows app/models/sales_report.rb:41", SALES],
      ["(GC)", "SalesReport#rows app/models/sales_report.rb:41", SALES],
      ["(native C)", "Pdf#draw lib/pdf.rb:7", SALES],
      ["Cron#run lib/cron.rb:3", "thread:cron"]
    ], samples.map { |sample| numbers(sample, "location_id").map { |id| locations.fetch(id) } }
    assert_equal [[7, 71 * MS], [1, 9 * MS], [2, 20 * MS], [1, 5 * MS]],
      samples.map { |sample| numbers(sample, "value") }
    assert_equal [["revision", "4f2c1a9"]],
      samples.map { |sample| [number(sample, "key"), number(sample, "str")].map { |at| texts[at] } }.uniq
  end

  def test_says_what_is_counted_and_when
    types = messages("sample_type").map { |type| %w[type unit].map { |name| texts[number(type, name)] } }
    assert_equal [%w[samples count], %w[stall nanoseconds]], types
    assert_equal "", texts.first
    assert_equal "stall", texts[number(@text, "default_sample_type")]
    assert_equal SAMPLE.from_s * 1_000_000_000, number(@text, "time_nanos")
    assert_equal (SAMPLE.to_s - SAMPLE.from_s) * 1_000_000_000, number(@text, "duration_nanos")
  end

  private

  def protoc(how, given)
    output, error, status = Open3.capture3("protoc", "--#{how}=perftools.profiles.Profile", "-I#{FOLDER}",
      "profile.proto", stdin_data: given, binmode: true)
    assert status.success?, error
    output
  end

  # @return [Array<String>] of that name at the top
  def messages(name) = @text.scan(/^#{name} \{\n(.*?)^\}/m).flatten

  def samples = messages("sample")

  def texts = @texts ||= @text.scan(/^string_table: "(.*)"$/).flatten

  def numbers(message, name) = message.scan(/^ *#{name}: (\d+)$/).flatten.map(&:to_i)

  def number(message, name) = numbers(message, name).first

  # @return [Hash{Integer => String}] function, file and line by id
  def locations
    @locations ||= messages("location").to_h do |location|
      name, file = functions.fetch(number(location, "function_id"))
      place = "#{file}:#{number(location, "line")}" if file
      [number(location, "id"), [name, *place].join(" ")]
    end
  end

  def functions
    @functions ||= messages("function").to_h do |function|
      file = number(function, "filename")
      [number(function, "id"), [texts[number(function, "name")], file && texts[file]]]
    end
  end
end
