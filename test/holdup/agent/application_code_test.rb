# frozen_string_literal: true

require "test_helper"
require "holdup/agent/application_code"

class Holdup::ApplicationCodeTest < Minitest::Test
  Code = Holdup::ApplicationCode

  def test_gems_rubys_library_and_holdup_are_foreign
    gem = File.realpath(Gem.loaded_specs.fetch("minitest").full_gem_path)
    ruby = File.realpath(RbConfig::CONFIG.fetch("rubylibdir"))
    [gem, ruby, Code.ours].each do |folder|
      assert Code.foreign.any? { |foreign| "#{folder}/".start_with?(foreign) }, folder
    end
    assert Code.foreign.none? { |foreign| __FILE__.start_with?(foreign) }
  end

  def test_the_root_is_where_the_process_works
    Dir.mktmpdir { |folder| Dir.chdir(folder) { assert_equal "#{File.realpath(folder)}/", Code.root } }
  end

  def test_each_ends_with_a_slash
    assert_empty [Code.root, Code.ours, *Code.foreign].grep_v(%r{[^/]/\z})
  end
end
