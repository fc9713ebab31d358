# frozen_string_literal: true

require "test_helper"
require "holdup/agent/gem_activation"

class Holdup::GemActivationTest < Minitest::Test
  Activation = Holdup::GemActivation
  Spec = Struct.new(:full_require_paths, :activated)

  # Gives back an activated gem where nobody has a bundle.
  # @return [Array<String>] the load path then
  def given_back(spec, bundle: false)
    path = $LOAD_PATH.dup
    $LOAD_PATH.unshift("/gems/holdup-agent/lib", "/gems/other/lib")
    Gem.stub(:loaded_specs, {"holdup-agent" => spec}.compact) do
      Activation.stub(:bundle?, bundle) { Activation.give_back }
      @left = Gem.loaded_specs.keys
    end
    $LOAD_PATH.dup
  ensure
    $LOAD_PATH.replace(path)
  end

  # Bundler refuses a bundle that has another version of an activated gem.
  def test_the_version_is_open_again
    spec = Spec.new(full_require_paths: ["/gems/holdup-agent/lib"], activated: true)
    given_back(spec)
    refute spec.activated
    assert_empty @left
  end

  # Its files can still be loaded, behind those of the version of the bundle.
  def test_its_files_go_last_in_the_load_path
    spec = Spec.new(full_require_paths: ["/gems/holdup-agent/lib"], activated: true)
    path = given_back(spec)
    assert_equal "/gems/holdup-agent/lib", path.last
    assert_equal "/gems/other/lib", path.first
    assert_equal 1, path.count("/gems/holdup-agent/lib")
  end

  def test_a_bundle_keeps_its_version
    spec = Spec.new(full_require_paths: ["/gems/holdup-agent/lib"], activated: true)
    path = given_back(spec, bundle: true)
    assert spec.activated
    assert_equal "/gems/holdup-agent/lib", path.first
  end

  def test_a_process_that_has_not_activated_it_is_left_alone
    assert_equal "/gems/holdup-agent/lib", given_back(nil).first
  end

  def test_this_process_has_a_bundle
    assert_predicate Activation, :bundle?
  end
end
