# frozen_string_literal: true

require "test_helper"

# Two versions of Holdup are installed, and a server's master may meet another one than the application's
# bundle has. Whatever it meets, workers boot. Both versions have the same code and extension, compiled once.
class OtherVersionTest < Minitest::Test
  ROOT = ServedApp::ROOT
  FIRST = Holdup::VERSION
  SECOND = "#{FIRST}.1".freeze
  COMPILED = "lib/holdup/native"
  SETTINGS = {"RACK_ENV" => "production", "HOLDUP_IGNORE_PATHS" => "/up"}.freeze
  CONFIG_RU = <<~'RUBY'
    require "bundler/setup"
    require "holdup"
    Holdup.configure { |config| config.public_send(ENV.fetch("NEW_SETTING", "app") + "=", "shop") }
    Holdup.start if ENV["STARTS"]
    run ->(_) { [200, {}, ["#{Gem.loaded_specs["holdup-agent"].version} #{Holdup::VERSION}"]] }
  RUBY
  EXTRA = "extra_runtime_dependencies %w[holdup-agent]"
  OTHER_COPY = /holdup: not measuring: .* loaded Holdup (\S+) \(.*\), and the application has (\S+) /

  class << self
    # @return [String] a GEM_HOME with both versions, made once
    def home
      @home ||= Dir.mktmpdir.tap do |home|
        Minitest.after_run { FileUtils.remove_entry(home) }
        [FIRST, SECOND].each { |version| install(version, home) }
      end
    end

    private

    def install(version, home)
      folder = File.join(home, "gems/holdup-agent-#{version}")
      [*specification.files.grep(%r{\Alib/}), COMPILED].each do |path|
        FileUtils.mkdir_p(File.dirname(File.join(folder, path)))
        FileUtils.cp_r(File.join(ROOT, path), File.join(folder, path))
      end
      file = File.join(folder, "lib/holdup/version.rb")
      File.write(file, File.read(file).sub(/VERSION = .*/, "VERSION = #{version.dump}"))
      specify(version, home)
    end

    # Its files are relative to the checkout.
    def specification
      @specification ||= Dir.chdir(ROOT) { Gem::Specification.load("holdup-agent.gemspec") }
    end

    def specify(version, home)
      spec = specification.dup
      spec.version = version
      spec.extensions = []
      FileUtils.mkdir_p(File.join(home, "specifications"))
      File.write(File.join(home, "specifications/holdup-agent-#{version}.gemspec"), spec.to_ruby)
    end
  end

  def setup
    @root = Dir.mktmpdir
    write("config.ru", CONFIG_RU)
  end

  def teardown = FileUtils.remove_entry(@root)

  def test_a_worker_of_a_pruned_puma_loads_the_version_of_its_bundle
    assert_measured(puma("8.0"))
  end

  thorough def test_earlier_pumas
    %w[6.6 7.2].each { |version| assert_measured(puma(version)) }
  end

  thorough def test_every_mode_of_puma
    modes = {"preload_app!" => 2, "" => 0, "fork_worker 0" => 2, EXTRA => 2}
    modes.each { |line, workers| assert_measured(puma("8.0", line, workers:)) }
  end

  def test_a_phased_restart_to_another_version
    assert_restarted(puma("8.0", EXTRA)) { |app| app.signal(:USR1) }
  end

  thorough def test_restarts_to_another_version
    assert_restarted(puma("6.6")) { |app| app.signal(:USR1) }
    assert_restarted(puma("7.2", EXTRA)) { |app| app.signal(:USR1) }
    assert_restarted(puma("8.0", "preload_app!")) { |app| app.signal(:USR2) }
  end

  thorough def test_exec_under_a_pruned_puma
    boot = File.join(self.class.home, "gems/holdup-agent-#{SECOND}/lib/holdup/agent/exec_boot")
    command = puma("8.0")
    write("puma.rb", File.read(File.join(@root, "puma.rb")).sub("plugin :holdup", ""))
    assert_measured(command, RUBYOPT: "-r#{boot}")
  end

  # RubyGems finds the later version for what has no bundle.
  def test_a_server_that_has_loaded_another_version_boots_and_measures_nothing
    assert_not_measured(puma("8.0", "require \"holdup\""))
  end

  thorough def test_unicorn_and_pitchfork_without_a_bundle
    assert_not_measured(preforking("unicorn", "unicorn.rb", "preload_app false"))
    assert_not_measured(preforking("unicorn", "unicorn.rb", "preload_app true"))
    assert_not_measured(preforking("pitchfork", "pitchfork.rb"))
  end

  thorough def test_unicorn_that_executes_itself_again_with_another_bundle
    command = preforking("unicorn", "unicorn.rb", "pid \"#{@root}/pid\"")
    assert_restarted([RbConfig.ruby, "-rbundler/setup", *command.drop(1)]) do |app|
      old = app.pid
      app.signal(:USR2)
      app.wait { [0, old].none?(pid) && app.live_workers == [0, 0, 1, 1] }
      app.hand_over(pid)
      Process.kill(:QUIT, old)
    end
  end

  private

  def write(name, text) = File.write(File.join(@root, name), text)

  def puma(version, lines = "", workers: 2)
    @gems = {"puma" => "~> #{version}.0", "rack" => ">= 2"}
    write("puma.rb", <<~RUBY)
      prune_bundler
      workers #{workers}
      threads 1, 1
      bind "tcp://127.0.0.1:\#{ENV.fetch("PORT")}"
      silence_single_worker_warning
      worker_check_interval 1
      worker_shutdown_timeout 1
      preload_app! #{lines.include?("preload_app!")}
      #{lines}
      plugin :holdup
    RUBY
    [RbConfig.ruby, "-rbundler/setup", "-S", "puma", "-C", "puma.rb"]
  end

  def preforking(name, file, lines = "")
    @gems = {name => ">= 0", "rack" => ">= 2"}
    write(file, <<~RUBY)
      require "holdup"
      Holdup.start
      listen "127.0.0.1:\#{ENV.fetch("PORT")}"
      worker_processes 2
      #{"setpgid false" if name == "pitchfork"}
      #{lines}
    RUBY
    [RbConfig.ruby, "-S", name, "-c", file]
  end

  # What a deploy does.
  def bundle(version)
    gems = @gems.merge("holdup-agent" => version)
    lines = gems.map { |name, wanted| "gem #{name.dump}, #{wanted.dump}" }
    FileUtils.rm_f(File.join(@root, "Gemfile.lock"))
    write("Gemfile", ["source \"https://rubygems.org\"", *lines].join("\n"))
  end

  def serve(command, env: {}, &)
    bundle(FIRST)
    ServedApp.serve(*command, app: @root, env: {**environment, **env}, &)
  end

  def environment
    gems = [self.class.home, Gem.loaded_specs.fetch("puma").base_dir].join(File::PATH_SEPARATOR)
    bundle_of_the_tests = ENV.keys.grep(/\ABUNDLE|\ARUBY(?:OPT|LIB)\z/).to_h { |name| [name, nil] }
    {**bundle_of_the_tests, "GEM_HOME" => self.class.home, "GEM_PATH" => gems, **SETTINGS}
  end

  # Of Unicorn's master; 0 while the file is replaced.
  def pid
    file = File.join(@root, "pid")
    File.exist?(file) ? File.read(file).to_i : 0
  end

  def versions(app) = app.get("/").body.split

  def assert_measured(command, **env)
    serve(command, env: env.transform_keys(&:to_s)) do |app|
      app.wait { app.log.include?("holdup: measuring") } # the first worker may boot still
      assert_equal [FIRST, FIRST], versions(app)
      app.stop
      assert_equal({"GET /" => 1}, app.counts, app.log)
      assert_equal 1, app.log.scan("holdup:").size, app.log
    end
  end

  # @yieldparam app [ServedApp] to restart
  def assert_restarted(command)
    serve(command) do |app|
      assert_equal [FIRST, FIRST], versions(app)
      bundle(SECOND)
      yield app
      app.wait { app.live_workers == [0, 1] && Array.new(4) { versions(app) }.uniq == [[SECOND, SECOND]] }
      refute_match(/Unable to start|mismatch|not measuring|not affected/, app.log)
    end
  end

  # With a setting that the loaded version does not know.
  def assert_not_measured(command)
    serve(command, env: {"NEW_SETTING" => "of_a_later_version", "STARTS" => "1"}) do |app|
      assert_equal [FIRST, SECOND], versions(app)
      app.wait { app.log.match?(OTHER_COPY) }
      app.stop
      refute_path_exists app.dir
      assert_equal [[SECOND, FIRST]], app.log.scan(OTHER_COPY), app.log
      assert_equal 1, app.log.scan("holdup:").size, app.log
      refute_match(/Unable to start|#{Regexp.union("warning:")}/, app.log)
    end
  end
end
