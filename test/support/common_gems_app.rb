# frozen_string_literal: true

require "fileutils"
require_relative "job_database"
require_relative "other_bundle"
require_relative "served_app"

# The application with the gems that Rails applications use most, under a real server or job runner. Its
# commands start as from a shell: Bundler of the tests is not in their environment.
class CommonGemsApp < ServedApp
  GEMFILE = File.join(ROOT, "gemfiles/common_gems.gemfile")
  BOOTSNAP = File.join(ENV.fetch("HOLDUP_CACHE", "#{ROOT}/tmp"), "bootsnap", RUBY_VERSION)

  # Of several processes only the first says it.
  MEASURING = %r{\Aholdup: measuring (\w+)(?:\+\w+)? \((?:worker 0, )?pid \d+\) into /}

  # `puma` alone, for which RubyGems finds Puma and its plugins; the application's boot then sets Bundler up.
  # Holdup is a folder here, so the load path stands for the installed gem.
  BARE_PUMA = [File.join(Gem.bindir, "puma")].freeze
  BARE_ENV = {"BUNDLE_GEMFILE" => nil, "GEM_HOME" => Gem.dir, "RUBYLIB" => File.join(ROOT, "lib")}.freeze

  class << self
    # @return [String] URL of a new SQLite database with Solid Queue's tables
    def solid_queue_database(folder)
      file = File.join(folder, "solid_queue.sqlite3")
      FileUtils.cp(solid_queue_template, file)
      "sqlite3:#{file}"
    end

    private

    def solid_queue_template
      @solid_queue_template ||= fill(File.join(Dir.mktmpdir("holdup-solid-queue"), "template.sqlite3"))
    end

    def fill(file)
      Minitest.after_run { FileUtils.rm_rf(File.dirname(file)) }
      JobDatabase.make_tables("sqlite3:#{file}", "solid_queue")
      file
    end
  end

  # @param command [Array<String>]
  # @param eager_load [Boolean] as in production, else as in development
  # @param adapter [String, nil] of Active Job
  # @param processes [Integer] that measure when it is ready
  # @param web [Boolean] whether it answers requests
  def initialize(*command, eager_load:, processes:, adapter: nil, web: true, env: {})
    super(*command, app: "common_gems", env: {
      **LARGE_HEAP,
      "BUNDLE_GEMFILE" => GEMFILE,
      "BOOTSNAP_CACHE_DIR" => BOOTSNAP,
      "RAILS_ENV" => eager_load ? "production" : "development",
      "EAGER_LOAD" => eager_load ? "1" : "0",
      "ADAPTER" => adapter,
      "RAILS_YJIT" => ("1" if eager_load && !Thorough.quick?), # as Rails 8.1 has it, in production alone
      "NEW_RELIC_AGENT_ENABLED" => "false"
    }.merge(env), unset: OtherBundle::NONE.keys - ["BUNDLE_GEMFILE", *env.keys])
    @processes = processes
    @web = web
    @env["PIDFILE"] = File.join(@root, "server.pid")
    @env["DONE"] = File.join(@root, "done")
    @env["DATABASE_URL"] = database(adapter)
  end

  # @return [Hash{Symbol => Integer}] requests and jobs that are measured, all processes together
  def measured
    slots = snapshots.flat_map(&:slots).compact.group_by { |slot| slot.series.kind }
    slots.slice(:request, :job).transform_values { |same| same.sum(&:count) }
  end

  # @return [Integer] jobs that have run, as they say themselves
  def done
    File.exist?(@env["DONE"]) ? File.size(@env["DONE"]) : 0
  end

  # @return [Array<String>] what each line that Holdup has printed says is measured (`puma`, also for
  #   `puma+good_job`), or the line when it says anything else
  def said
    log.lines(chomp: true).grep(/holdup:/).map { |line| line[MEASURING, 1] || line }
  end

  # None before the first process measures.
  def live
    File.directory?(dir) ? super : []
  end

  private

  def database(adapter)
    case adapter
    when "solid_queue" then self.class.solid_queue_database(@root)
    when "good_job" then JobDatabase.create(adapter)
    else "sqlite3:#{File.join(@root, "shop.sqlite3")}"
    end
  end

  def answers?
    (!@web || super) && live.size == @processes
  end
end
