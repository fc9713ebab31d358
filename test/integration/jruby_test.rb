# frozen_string_literal: true

require "test_helper"
require "open3"

# JRuby 10 speaks Ruby 3.4 and later, and has no GVL. HOLDUP_JRUBY names its program; without one there is
# nothing to run.
class JrubyTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  PLAIN = {**OtherBundle::NONE, "BUNDLE_PATH" => nil, "GEM_HOME" => nil, "GEM_PATH" => nil}.freeze

  def setup
    @jruby = ENV.fetch("HOLDUP_JRUBY") { skip "HOLDUP_JRUBY names no JRuby" }
    @root = Dir.mktmpdir
  end

  def teardown
    @root && FileUtils.remove_entry(@root)
  end

  def test_the_gem_installs_and_loads_and_says_once_that_it_measures_nothing
    install
    output = run_jruby("-e", <<~RUBY)
      require "holdup"
      p [Holdup.start, Holdup.start, Holdup.running?, Holdup.measure("Job") { 42 }]
      app = Holdup::Instrumentation::Rack.new(->(env) { [200, {}, [env["PATH_INFO"]]] }, Holdup.requests)
      p app.call("PATH_INFO" => "/", "REQUEST_METHOD" => "GET")
      Holdup.stop
    RUBY
    assert_includes output, "[false, false, false, 42]\n[200, {}, [\"/\"]]\n"
    assert_equal 1, output.scan("holdup: Holdup measures nothing on jruby").size
    assert_empty Dir.children(@root) - %w[gems holdup-agent.gem holdup.gem]
  end

  private

  def install
    gems = %w[holdup-agent holdup].map { |name| build(name) }
    run_jruby("-S", "gem", "install", "--no-document", "--install-dir", "#{@root}/gems", *gems)
  end

  # @return [String] path of the gem
  def build(name)
    gem = File.join(@root, "#{name}.gem")
    output, status = Open3.capture2e(PLAIN.merge("HOLDUP_PLATFORM" => "java"), RbConfig.ruby, "-S", "gem",
      "build", "#{name}.gemspec", "-o", gem, chdir: ROOT)
    assert status.success?, output
    gem
  end

  def run_jruby(*arguments)
    output, status = Open3.capture2e(
      PLAIN.merge("GEM_HOME" => "#{@root}/gems", "HOLDUP_DIR" => "#{@root}/segments"), @jruby, *arguments
    )
    assert status.success?, output
    output
  end
end
