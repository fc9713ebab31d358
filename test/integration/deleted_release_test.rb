# frozen_string_literal: true

require "test_helper"
require "holdup/agent/child_environment"

# A Puma master that outlives the folder of its release, as under Capistrano, which keeps five: when its
# collector ends then, another one starts from what is there.
class DeletedReleaseTest < Minitest::Test
  PUMA_CONFIG = <<~'RUBY'
    plugin :holdup
    bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
    threads 1, 1
    workers 1
    preload_app!
    silence_single_worker_warning
  RUBY

  def setup
    @root = File.realpath(Dir.mktmpdir("holdup-deploy"))
    @first = release("1")
    link(@first)
  end

  def teardown = FileUtils.remove_entry(@root)

  def test_the_collector_comes_back_in_the_release_that_is_current
    serve do |app|
      link(release("2"))
      FileUtils.rm_rf(@first)
      kill_collector(app)
      app.get("/later")
      wait_until { app.stored.include?("GET /later") }
      assert_match(/its collector starts in #{@root}.current$/, app.log)
      assert_equal "#{@root}/releases/2", File.readlink("/proc/#{collector(app)}/cwd")
      assert_no_backtrace(app)
    end
  end

  def test_without_another_release_it_comes_back_with_the_gems_of_the_server
    serve do |app|
      FileUtils.rm_rf(["#{@root}/releases", "#{@root}/current"])
      kill_collector(app)
      app.get("/later")
      wait_until { app.stored.include?("GET /later") }
      assert_no_backtrace(app)
    end
  end

  # Deployed in place: the new Gemfile names a gem that is not installed yet.
  def test_a_bundle_that_changes_in_place_is_one_line
    serve do |app|
      File.write("#{@first}/Gemfile", "gem 'not-installed-yet'\n")
      FileUtils.rm_f("#{@first}/Gemfile.lock")
      %w[/later /last].each do |path|
        kill_collector(app)
        app.get(path)
        wait_until { app.stored.include?("GET #{path}") }
      end
      assert_equal 1, app.log.lines.count { |line| line.include?("can't start with the bundle of") }
      assert_no_backtrace(app)
    end
  end

  # A worker that is forked then has no current folder.
  def test_a_worker_that_is_replaced_then_measures
    serve do |app|
      FileUtils.rm_rf(["#{@root}/releases", "#{@root}/current"])
      worker = app.live.first.pid
      Process.kill(:KILL, worker)
      wait_until { app.live.any? { |entry| entry.pid != worker } }
      app.get("/later")
      wait_until { app.stored.include?("GET /later") }
      assert_no_backtrace(app)
    end
  end

  # The gems are in the release, too.
  def test_with_nothing_left_one_line_says_what_to_do
    vendor(@first)
    serve do |app|
      wait_for_round(app)
      FileUtils.rm_rf(["#{@root}/releases", "#{@root}/current"])
      kill_collector(app)
      wait_until { app.log.include?("no collector can be started") }
      app.get("/later")
      lines = app.log.lines.grep(/holdup/).drop_while { |line| !line.include?("SIGKILL") }
      assert_match(/the collector ended \(SIGKILL/, lines.first)
      assert_equal 1, lines.drop(1).size, lines.join
      assert_match(/are gone, because the release .* is deleted.*restart the server/, lines.last)
      assert_no_backtrace(app)
    end
  end

  def test_with_its_gem_deleted_it_takes_the_gem_of_the_current_release
    vendor(@first)
    serve do |app|
      wait_for_round(app)
      second = release("2")
      vendor(second)
      link(second)
      FileUtils.rm_rf(@first)
      kill_collector(app)
      app.get("/later")
      wait_until { app.stored.include?("GET /later") }
      assert_no_backtrace(app)
    end
  end

  # The bundle of the current release can't be loaded, because its gems are not installed yet.
  def test_a_release_without_its_gems_is_no_obstacle
    serve do |app|
      second = release("2")
      File.write("#{second}/Gemfile", "gem 'not-installed-yet'\n")
      FileUtils.rm_f("#{second}/Gemfile.lock")
      link(second)
      FileUtils.rm_rf(@first)
      kill_collector(app)
      app.get("/later")
      wait_until { app.stored.include?("GET /later") }
      assert_equal 1, app.log.lines.count { |line| line.include?("can't start with the bundle of") }
      assert_no_backtrace(app)
    end
  end

  private

  def release(name)
    folder = "#{@root}/releases/#{name}"
    FileUtils.mkdir_p(folder)
    File.write("#{folder}/Gemfile", gemfile(ServedApp::ROOT))
    File.write("#{folder}/config.ru", "run ->(_env) { [200, {}, [\"ok\"]] }\n")
    File.write("#{folder}/puma.rb", PUMA_CONFIG)
    folder
  end

  def gemfile(source)
    "source \"https://rubygems.org\"\ngem \"puma\"\ngem \"rackup\"\n" \
      "path(\"#{source}\") do\n  gem \"holdup\"\n  gem \"holdup-agent\"\nend\n"
  end

  # Puts Holdup itself into the release.
  def vendor(folder)
    FileUtils.mkdir_p("#{folder}/vendor")
    parts = %w[lib exe ext sig docs LICENSE.txt holdup.gemspec holdup-agent.gemspec]
    FileUtils.cp_r(parts.map { |part| File.join(ServedApp::ROOT, part) }, "#{folder}/vendor")
    File.write("#{folder}/Gemfile", gemfile("vendor"))
  end

  def link(folder)
    File.symlink(folder, "#{@root}/next")
    File.rename("#{@root}/next", "#{@root}/current")
  end

  def serve(&)
    env = Holdup::ChildEnvironment.new(ENV).other_bundle(nil).with("RUBYOPT" => nil, "PWD" => nil).to_h
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "#{@root}/current",
      env: {**env, "HOLDUP_COLLECTOR" => "process"}) do |app|
      app.get("/first")
      wait_until { app.stored.include?("GET /first") }
      yield app
    end
  end

  # A collector loads the last of its code after its first round, and ends by itself when that is deleted
  # before.
  def wait_for_round(app)
    app.get("/second")
    wait_until { app.stored.include?("GET /second") }
  end

  # A child that it has just begun to start has its command line, too.
  # @return [Integer, nil] its pid
  def collector(app)
    collecting = app.processes.select { |process| collects?(process[:pid]) }
    pids = collecting.map { |process| process[:pid] }
    collecting.find { |process| !pids.include?(process[:parent]) }&.fetch(:pid)
  end

  def collects?(pid)
    File.read("/proc/#{pid}/cmdline").split("\0").include?("collect")
  rescue SystemCallError # it has just ended
    false
  end

  def kill_collector(app)
    Process.kill(:KILL, wait_until { collector(app) })
  end

  def assert_no_backtrace(app)
    refute_match(/bundler.*:in|GemfileNotFound|\bfrom \S+:\d+/, app.log)
  end
end
