# frozen_string_literal: true

require "test_helper"
require "holdup/shell/short_load_path"

class ShortLoadPathTest < Minitest::Test
  Needed = Data.define(:name)
  Spec = Data.define(:name, :full_require_paths, :runtime_dependencies) do
    def self.of(name, *needs) = new(name, ["/gems/#{name}/lib"], needs.map { |need| Needed.new(need) })
  end

  def setup
    @defaults = Dir.mktmpdir
    File.write(File.join(@defaults, "json-2.9.1.gemspec"), "")
    File.write(File.join(@defaults, "net-http-0.6.0.gemspec"), "")
  end

  def teardown = FileUtils.rm_rf(@defaults)

  def test_the_folders_of_gems_that_no_command_needs_come_last
    assert_equal %w[/gems/sequel/lib /gems/bigdecimal/lib /ruby /gems/rails/lib /gems/pg/lib],
      sorted(%w[rails sequel bigdecimal pg], "holdup" => %w[sequel], "sequel" => %w[bigdecimal])
  end

  def test_a_gem_that_rubys_own_library_has_too_stays_before_it
    assert_equal %w[/gems/json/lib /gems/net-http/lib /ruby /gems/rails/lib],
      sorted(%w[json rails net-http], "holdup" => %w[sequel])
  end

  def test_needs_in_a_circle_end
    assert_equal %w[/gems/a/lib /gems/b/lib /ruby],
      sorted(%w[a b], "holdup" => %w[a], "a" => %w[b], "b" => %w[a])
  end

  def test_leaves_the_order_where_ruby_has_no_gems_of_its_own
    @missing = File.join(@defaults, "missing")
    assert_equal %w[/gems/rails/lib /ruby], sorted(%w[rails], "holdup" => [])
  end

  private

  def sorted(names, needs)
    specs = [*names, *needs.keys].uniq.to_h { |name| [name, Spec.of(name, *needs[name])] }
    path = [*names.map { |name| "/gems/#{name}/lib" }, "/ruby"]
    Holdup::ShortLoadPath.use(path:, specs:, defaults: @missing || @defaults)
    path
  end
end
