# frozen_string_literal: true

require "rbconfig"
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
  TEMPLATES = {
    "solid_queue" => "lib/generators/solid_queue/install/templates/db/queue_schema.rb",
    "good_job" => "lib/generators/good_job/templates/install/migrations/create_good_jobs.rb.erb"
  }.freeze

  class << self
    # @param adapter [String] of Active Job; one without tables of its own gets an empty database
    # @return [String] URL of a new database
    def create(adapter)
      template = TEMPLATES.key?(adapter) ? filled(adapter) : "template1"
      "#{server.create("jobs_#{@count = @count.to_i + 1}", template:)}&pool=20"
    end

    # @param url [String] of an empty database
    # @return [void]
    def make_tables(url, adapter)
      file = File.join(Gem.loaded_specs.fetch(adapter).full_gem_path, TEMPLATES.fetch(adapter))
      script = [RbConfig.ruby, "-W0", "-r#{BOOTSNAP}", "-e", TABLES, url, file]
      output = IO.popen(script, err: %i[child out], &:read)
      raise "no tables for #{adapter}:\n#{output}" unless $?.success?
    end

    private

    def server = PostgresServer.shared

    def filled(adapter)
      @filled ||= {}
      @filled[adapter] ||= adapter.tap { make_tables(server.create(adapter), adapter) }
    end
  end
end
