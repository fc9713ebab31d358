# frozen_string_literal: true

require_relative "../model/flat_json"
require_relative "../version"
require_relative "setting_facts/cgroup"

module Holdup
  # Collects the facts that change results, for the setting of this process (see Holdup::Setting).
  class SettingFacts
    GC_PREFIX = "RUBY_GC_"
    # Variables in which platforms put the deployed revision.
    REVISIONS = %w[GIT_COMMIT GIT_REVISION SOURCE_VERSION HEROKU_SLUG_COMMIT RENDER_GIT_COMMIT KAMAL_VERSION
      REVISION].freeze

    def initialize(configuration:, env:, root:, machine: CpuQuota.new)
      @configuration = configuration
      @env = env
      @root = root
      @machine = machine
    end

    # @param server [Hash{String => Object}] facts from the server's adapter: server, threads, workers ...
    def to_h(server: {})
      facts = {**ruby, **scheduling, **memory, **application, **@machine.to_h, **server}
      facts.compact.sort.to_h
    end

    # @param room [Integer, nil] most bytes
    def to_json(server: {}, room: nil)
      FlatJson.generate(to_h(server:), room:)
    end

    private

    def ruby
      {
        "holdup" => VERSION,
        "ruby" => RUBY_VERSION,
        "ruby_patch" => RUBY_PATCHLEVEL,
        "engine" => RUBY_ENGINE,
        "platform" => RUBY_PLATFORM
      }
    end

    def scheduling
      {
        "time_slice_ms" => @env["RUBY_THREAD_TIMESLICE"],
        "mn_threads" => (true if @env["RUBY_MN_THREADS"] == "1"),
        "max_cpu" => @env["RUBY_MAX_CPU"]
      }
    end

    def memory
      {
        "gc" => gc,
        "malloc" => @env["LD_PRELOAD"].to_s.b[/jemalloc|tcmalloc|mimalloc/],
        "malloc_arena_max" => @env["MALLOC_ARENA_MAX"],
        "malloc_conf" => @env["MALLOC_CONF"]
      }
    end

    def gc
      settings = @env.filter_map do |key, value|
        "#{key.delete_prefix(GC_PREFIX).downcase}=#{value}" if key.start_with?(GC_PREFIX)
      end
      settings.sort.join(" ") unless settings.empty?
    end

    def application
      {
        "app" => @configuration.app,
        "revision" => revision,
        "arm" => arm,
        "rails" => rails,
        "environment" => @env["RAILS_ENV"] || @env["RACK_ENV"]
      }
    end

    # A server's hooks may give each worker its arm, after the configuration was read in the master.
    def arm
      text = Utf8.valid(@env["HOLDUP_ARM"])
      text.empty? ? @configuration.arm : text
    end

    def rails
      ::Rails.version if defined?(::Rails.version)
    end

    def revision
      @revision ||= @configuration.revision || @env.values_at(*REVISIONS).compact.first || revision_file
    end

    def revision_file
      file = File.join(@root, "REVISION")
      File.read(file, FlatJson::LONGEST_VALUE).to_s.strip if File.file?(file)
    end
  end
end
