# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "served_app"

# examples/storefront with what it needs: its databases, and the process next door, both of this test's own.
module StorefrontApp
  APP = File.expand_path("../../examples/storefront", __dir__)
  START_S = 20
  BOOTSNAP = File.join(ServedApp::APPS, "bootsnap_setup")

  class << self
    # @param env [Hash{String => String}] of the storefront
    # @return [String] folder of filled databases, made once and copied by each test
    def databases(env)
      @databases ||= Dir.mktmpdir("holdup").tap do |folder|
        Minitest.after_run { FileUtils.remove_entry(folder) }
        fill(folder, env)
      end
    end

    private

    def fill(folder, env)
      log = "#{folder}/log"
      prepare = [*ServedApp::BUNDLED_RUBY, "bin/rails", "db:prepare"]
      env = env.merge("STOREFRONT_STORAGE" => folder)
      done = system(env, *prepare, chdir: APP, out: log, err: %i[child out])
      raise "the databases could not be made:\n#{File.read(log)}" unless done
    end
  end

  # @yieldparam env [Hash{String => String}] for ServedApp, with `app: StorefrontApp::APP`
  def with_storefront
    Dir.mktmpdir("holdup") do |folder|
      next_door(folder) do |env|
        FileUtils.cp(Dir["#{StorefrontApp.databases(env)}/*.sqlite3*"], folder)
        yield env
      end
    end
  end

  private

  def next_door(folder)
    reader, writer = IO.pipe
    pid = Process.spawn(RbConfig.ruby, "#{APP}/upstream/server.rb", out: writer, in: File::NULL)
    writer.close
    flunk "the process next door did not start" unless reader.wait_readable(START_S)
    upstream, database = reader.gets.split
    yield(
      "RAILS_ENV" => "production",
      "RUBYOPT" => "#{ENV["RUBYOPT"]} -r#{BOOTSNAP}",
      "STOREFRONT_STORAGE" => folder,
      "STOREFRONT_YJIT" => "0", # what is compiled runs too few times to pay for it
      "STOREFRONT_UPSTREAM" => upstream,
      "STOREFRONT_DATABASE_PEER" => database
    )
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end
end
