# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbs"
require "holdup"
require "holdup/loader"

# The signatures of the public methods (sig/): they are valid, name each public method and each
# setting, and agree with what a process really passes and gets.
class SignaturesTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  SIGNATURES = File.join(ROOT, "sig")
  # Used by Holdup's own parts.
  INTERNAL = %i[configuration const_missing jobs recorder runtime servers].freeze

  # RBS raises at a call that does not fit.
  CHECKED = {"RBS_TEST_TARGET" => "Holdup,Holdup::*", "RBS_TEST_OPT" => "-I #{SIGNATURES}",
             "RBS_TEST_RAISE" => "true", "RBS_TEST_LOGLEVEL" => "error"}.freeze
  # It wraps the methods of a class or module when that is opened again.
  CHECKS = <<~RUBY
    require "holdup"
    require "rbs/test/setup"
    module Holdup; end
    class Holdup::Instrumentation::Rack; end
    class Holdup::Configuration::Draft; end
  RUBY

  def test_are_valid
    printed, status = Open3.capture2e(RbConfig.ruby, "-S", "rbs", "-I", SIGNATURES, "validate", chdir: ROOT)
    assert_predicate status, :success?, printed
  end

  def test_every_public_method_has_one
    assert_equal Holdup.singleton_methods(false).sort - INTERNAL, signed(:build_singleton, "::Holdup").sort
  end

  def test_every_setting_has_one
    settings = Holdup::Configuration::KEYS.map(&:name)
    readers = signed(:build_instance, "::Holdup::Configuration::Draft").grep_v(/=\z/)
    assert_equal settings.sort, readers.sort
  end

  def test_every_method_that_has_one_is_there
    {Holdup::Instrumentation::Rack => %i[call], Holdup::Error => %i[advice problem]}.each do |owner, names|
      assert_equal names, signed(:build_instance, "::#{owner.name}").sort - %i[initialize]
      assert_empty names - owner.public_instance_methods(false)
    end
    assert_respond_to Holdup::Web, :call
  end

  def test_agree_with_what_is_passed_and_returned
    assert_equal "42 true false\n", type_checked(<<~RUBY)
      Holdup.configure do |config|
        config.series_limit = 50
        config.ignore_paths = ["/up", /health/]
      end
      started = Holdup.start
      result = Holdup.measure("Report", kind: :job, queue: "low") { 42 }
      Holdup.measure("Report") { Holdup.name = "Report: monthly" }
      app = ->(_env) { [200, {}, []] }
      middleware = Holdup::Instrumentation::Rack.new(app, Holdup.requests)
      middleware.call("PATH_INFO" => "/", "REQUEST_METHOD" => "GET")
      Holdup.stop
      puts [result, started, Holdup.running?].join(" ")
    RUBY
  end

  def test_a_wrong_argument_would_be_found
    assert_match(/TypeError: \[Holdup\.measure\] ArgumentTypeError/, type_checked("Holdup.measure(7) { 1 }"))
  end

  private

  # @return [Array<Symbol>] methods that our signatures define there themselves
  def signed(kind, name)
    type = RBS::TypeName.parse(name)
    definition = builder.public_send(kind, type)
    definition.methods.select { |_, method|
      method.accessibility == :public && method.defined_in == type
    }.keys
  end

  def builder
    @builder ||= begin
      loader = RBS::EnvironmentLoader.new
      loader.add(path: Pathname(SIGNATURES))
      RBS::DefinitionBuilder.new(env: RBS::Environment.from_loader(loader).resolve_type_names)
    end
  end

  # @return [String] what the script printed
  def type_checked(script)
    Dir.mktmpdir do |folder|
      env = {**CHECKED, "HOLDUP_DIR" => File.join(folder, "segments"), "HOLDUP_COLLECTOR" => "off",
                        "HOLDUP_LOG" => "off"}
      printed, = Open3.capture2e(env, RbConfig.ruby, "-W0", "-I#{ROOT}/lib", "-e", CHECKS + script)
      printed
    end
  end
end
