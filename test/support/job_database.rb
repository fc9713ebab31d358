# frozen_string_literal: true

require "rbconfig"
require_relative "other_bundle"
require_relative "postgres_server"

# Databases with the tables of a job runner, on one PostgreSQL for all tests of a run. The tables are made
# once, as the runner's own generator would; each test gets a copy.
module JobDatabase
  TABLES = <<~RUBY
    require "active_record"
    require "erb"
    ActiveRecord::Base.establish_connection(ARGV[0])
    ActiveRecord::Schema.verbose = ActiveRecord::Migration.verbose = false
    source = File.read(ARGV[1])
    eval(ERB.new(source).result_with_hash(migration_version: "[8.1]"))
    CreateGoodJobs.migrate(:up) if defined?(CreateGoodJobs)
  RUBY
  BOOTSNAP = File.expand_path("../integration/apps/bootsnap_setup.rb", __dir__)
  # What makes the tables of runners that are not in the Gemfile, in the bundle that has them.
  GEMFILE = File.expand_path("../../gemfiles/job_runners.gemfile", __dir__)
  SCRIPTS = {
    "resque" => nil,
    "sneakers" => nil,
    "delayed_job" => <<~'RUBY',
      require "delayed_job_active_record"
      folder = Gem.loaded_specs.fetch("delayed_job_active_record").full_gem_path
      source = File.read("#{folder}/lib/generators/delayed_job/templates/migration.rb")
      eval(ERB.new(source).result_with_hash(migration_version: "[8.1]"))
      CreateDelayedJobs.migrate(:up)
    RUBY
    "que" => <<~RUBY
      require "que"
      Que.connection = ActiveRecord
      Que.migrate!(version: 7)
    RUBY
  }.freeze
  CONNECT = <<~RUBY
    require "active_record"
    require "erb"
    ActiveRecord::Base.establish_connection(ARGV[0])
    ActiveRecord::Migration.verbose = false
  RUBY
  TEMPLATES = {
    "solid_queue" => "lib/generators/solid_queue/install/templates/db/queue_schema.rb",
    "good_job" => "lib/generators/good_job/templates/install/migrations/create_good_jobs.rb.erb"
  }.freeze

  class << self
    # @param adapter [String] of Active Job; one without tables of its own gets an empty database
    # @return [String] URL of a new database
    def create(adapter)
      template = (TEMPLATES.key?(adapter) || SCRIPTS[adapter]) ? filled(adapter) : "template1"
      "#{server.create("jobs_#{@count = @count.to_i + 1}", template:)}&pool=20"
    end

    # @return [Hash{String => String}] environment of an application with that runner
    def bundle(adapter)
      SCRIPTS.key?(adapter) ? {"BUNDLE_GEMFILE" => GEMFILE} : {}
    end

    # @param url [String] of an empty database
    # @return [void]
    def make_tables(url, adapter)
      return run_script(adapter, OtherBundle.of(GEMFILE), url) if SCRIPTS.key?(adapter)
      file = File.join(Gem.loaded_specs.fetch(adapter).full_gem_path, TEMPLATES.fetch(adapter))
      ruby(adapter, {}, "-e", TABLES, url, file)
    end

    private

    def run_script(adapter, env, url)
      ruby(adapter, env, "-rbundler/setup", "-e", CONNECT + SCRIPTS.fetch(adapter), url)
    end

    def ruby(adapter, env, *arguments)
      command = [RbConfig.ruby, "-W0", *("-r#{BOOTSNAP}" if env.empty?), *arguments]
      output = IO.popen(env, command, err: %i[child out], &:read)
      raise "no tables for #{adapter}:\n#{output}" unless $?.success?
    end

    def server = PostgresServer.shared

    def filled(adapter)
      @filled ||= {}
      @filled[adapter] ||= adapter.tap { make_tables(server.create(adapter), adapter) }
    end
  end
end
