# frozen_string_literal: true

require "test_helper"
require "open3"
require "holdup/capture/archive"
require "holdup/loader"

# protoc reads the export for Perfetto by the names of Perfetto's fields, and writes the same again.
class PerfettoIntegrationTest < Minitest::Test
  FOLDER = File.expand_path("../viewers", __dir__)

  def test_protoc_knows_every_field_of_a_real_capture
    scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::Archive.read(KeptCapture::FILE))
    trace = Holdup::Captures::TraceFormats.call(scene, :perfetto)
    decoded = protoc("decode", trace)
    refute_match(/^ *\d+[:{ ]/, decoded, "a field without a name")
    picture = Holdup::Captures::TraceFormats::Picture.new(scene)
    ran = picture.lanes.sum { |lane| picture.ran(lane).size }
    assert_equal ran, decoded.scan("stack_sample {").size
    ["thread_name: \"puma srv tp 002\"", "name: \"ReportsController#sales\"",
      "str: \"SalesReport#pair_counts\"", "primary_weight: "].each { |text|
      assert_includes decoded, text
    }
    again = protoc("encode", decoded)
    assert_equal [trace.bytesize, decoded], [again.bytesize, protoc("decode", again)]
  end

  private

  def protoc(how, given)
    decoded, said, done = Open3.capture3("protoc", "--#{how}=perfetto.protos.Trace", "-I#{FOLDER}",
      "perfetto.proto", stdin_data: given, binmode: true)
    assert done.success?, said
    decoded
  end
end
