# frozen_string_literal: true

require "test_helper"

# Lines end at 110 columns. Rubocop holds that for Ruby; what bin/assets builds is nobody's to read.
class LineLengthTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  SOURCES = %w[
    ext/**/*.{c,h} bin/**/* assets/*.js assets/{src,test}/**/*.{js,css} lib/holdup/shell/view/html/**/*.css
    lib/**/*.erb benchmark/**/*.{sh,ru,erb} examples/**/*.{sh,ru,erb} test/**/*.{c,h,sh,js} .ci/run
  ].freeze
  COLUMNS = 110

  def test_no_line_is_longer
    files = Dir.glob(SOURCES, base: ROOT).reject { |path| path.include?("node_modules/") }
    files.select! { |path| File.file?(File.join(ROOT, path)) }
    assert_operator files.size, :>, 100
    assert_empty files.flat_map { |path| long_lines(path) }
  end

  def long_lines(path)
    lines = File.foreach(File.join(ROOT, path), encoding: "UTF-8").with_index(1)
    lines.filter_map { |line, number| "#{path}:#{number}" if line.chomp.size > COLUMNS }
  end
end
