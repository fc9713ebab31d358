# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "zlib"

# What is in the repository is what bin/assets builds. Where there is no Node only the sizes can be looked at.
class Holdup::Web::AssetsBuildTest < Minitest::Test
  one_ruby

  include TemporaryFolder

  ASSETS = Holdup::Web::Assets::DIR
  ROOT = File.expand_path("../../../../..", __dir__)
  WITH_NODE = system("node", "--version", out: File::NULL, err: File::NULL) == true
  MOST_BYTES = 60_000

  def test_a_browser_gets_little
    files = Holdup::Web::Assets::DIRS.flat_map { |dir| Dir["#{dir}/*.{css,js,svg}"] }
    sizes = files.to_h { |file|
      [File.basename(file), Zlib.gzip(File.binread(file), level: 9).bytesize]
    }
    assert_equal %w[charts.css dark.css holdup.css main.js mark.svg overview.css timeline.css timeline.js],
      sizes.keys.sort
    assert_operator sizes.values.sum, :<=, MOST_BYTES, sizes.inspect
  end

  def test_what_others_wrote_comes_with_its_licence
    assert_match(/uPlot.*MIT License.*Permission is hereby granted/m, File.read("#{ASSETS}/LICENSES.txt"))
  end

  if WITH_NODE
    def test_a_fresh_build_is_the_same
      assets(folder)
      Dir.children(folder).tap { |built|
        assert_equal %w[LICENSES.txt charts.css main.js timeline.css timeline.js],
          built.sort
      }.each do |file|
        assert File.binread("#{folder}/#{file}") == File.binread("#{ASSETS}/#{file}"),
          "#{file} is not what assets/ says; run bin/assets"
      end
    end

    def test_the_scripts_own_tests
      assert_match(/^# fail 0$/, assets("test"))
    end
  end

  def assets(*arguments)
    output, status = Open3.capture2e("#{ROOT}/bin/assets", *arguments)
    assert status.success?, output
    output
  end
end
