# frozen_string_literal: true

require "test_helper"

# A process that has loaded one copy of Holdup and comes upon another. Real servers:
# test/integration/other_version_test.rb.
class Holdup::OtherCopyTest < Minitest::Test
  LIB = File.expand_path("../../../lib", __dir__)
  LATER = "#{Holdup::VERSION}.1".freeze
  PRELUDE = <<~RUBY
    $stdout.sync = true
    def files(root) = $LOADED_FEATURES.count { |file| file.start_with?(File.realpath(root)) }
  RUBY

  def setup
    @root = Dir.mktmpdir
    FileUtils.cp_r(LIB, @root)
    @other = File.join(@root, "lib")
    file = File.join(@other, "holdup/version.rb")
    File.write(file, File.read(file).sub(/VERSION = .*/, "VERSION = #{LATER.dump}"))
  end

  def teardown = FileUtils.remove_entry(@root)

  def run_script(script, gems: false)
    env = {"BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil, "HOLDUP_COLLECTOR" => "off",
           "HOLDUP_DIR" => File.join(@root, "segments")}
    fresh_ruby(script, prelude: PRELUDE, env:, gems:)
  end

  def test_no_entry_of_the_other_copy_loads_a_file_and_all_methods_stay_harmless
    %w[holdup holdup-agent holdup/base holdup/agent/instrumentation/active_job].each do |entry|
      printed = run_script(<<~RUBY)
        require #{"#{LIB}/holdup".dump}
        Holdup.start
        require #{"#{@other}/#{entry}".dump}
        Holdup.configure { |config| config.of_a_later_version = 1 }
        p Holdup.start, Holdup.running?, Holdup.measure("x") { 5 }, Holdup::Web.call({}).first
        Holdup.name = "x"
        p Holdup::VERSION, Holdup::Instrumentation::ActiveJob.respond_to?(:install)
      RUBY
      assert_equal ["false", "false", "5", "503", Holdup::VERSION.inspect, "true"],
        printed.lines(chomp: true).grep_v(/holdup:/), entry
      assert_equal 1, printed.scan("holdup: not measuring").size, printed
    end
  end

  def test_only_the_entry_itself_is_evaluated
    printed = run_script(<<~RUBY)
      require #{"#{LIB}/holdup".dump}
      require #{"#{@other}/holdup".dump}
      puts $LOADED_FEATURES.map { |file| file.delete_prefix(#{"#{File.realpath(@root)}/lib/".dump}) }
        .reject { |file| file.start_with?("/") || !file.end_with?(".rb") }
    RUBY
    assert_equal %w[holdup/base.rb holdup.rb], printed.lines(chomp: true).grep(/\Aholdup.*rb\z/)
  end

  # As in a worker whose bundle has another version, where `require "holdup"` finds the loaded one.
  def test_a_copy_that_comes_into_the_load_path_ends_measuring
    printed = run_script(<<~RUBY)
      $LOAD_PATH.push(#{LIB.dump})
      require "holdup"
      $LOAD_PATH.unshift(#{@other.dump})
      p require("holdup"), Holdup.start, Holdup.running?
    RUBY
    assert_equal %w[false false false], printed.lines(chomp: true).grep_v(/holdup:/)
    expected = /has loaded Holdup #{Holdup::VERSION} \(#{LIB}.*and the application has #{LATER} \(#{@other}/
    assert_match expected, printed
  end

  def test_the_other_half_is_not_loaded_beside_another_agent
    printed = run_script(<<~RUBY, gems: true)
      $LOAD_PATH.push(*#{Gem.loaded_specs.fetch("zeitwerk").full_require_paths.inspect})
      require #{"#{LIB}/holdup".dump}
      $LOAD_PATH.unshift(#{@other.dump})
      begin
        require "holdup/loader"
      rescue LoadError => error
        puts error.message
      end
    RUBY
    assert_equal "this process has loaded another copy of Holdup already: #{LIB}/holdup\n", printed
  end

  # An application's configuration may speak of `config.holdup`.
  def test_a_rails_application_has_its_configuration_all_the_same
    paths = $LOAD_PATH.reject { |path| path == LIB }
    printed = run_script(<<~RUBY, gems: true)
      require #{"#{LIB}/holdup".dump}
      $LOAD_PATH.push(*#{paths.inspect})
      require "rails"
      require #{"#{@other}/holdup".dump}
      class Shop < Rails::Application
        config.eager_load = false
        config.secret_key_base = "x" * 64
        config.holdup.of_a_later_version = 1
      end
      Shop.initialize!
      p Shop.middleware.map(&:name).grep(/Holdup/), Holdup.running?
    RUBY
    assert_equal ["[]", "false"], printed.lines(chomp: true).last(2), printed
  end
end
