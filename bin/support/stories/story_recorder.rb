# frozen_string_literal: true

require "fileutils"
require "holdup/loader"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "container"

module Stories
  # The processes and files of one recording: an application under Holdup in a container, and the collector
  # that carries its figures into a store. At the end the store is packed for test/fixtures.
  class StoryRecorder
    EXE = File.expand_path("../../../exe/holdup", __dir__)
    MINUTE_S = 60
    # Windows of a store are minutes. What runs before one begins and after one has ended has this long.
    LEAD_S = 5
    # A job runner gives its jobs 25 seconds to end.
    GRACE_S = 30

    attr_reader :container, :folder, :env

    # @param app [String] the application's name
    # @param host [String] the name of its host
    # @param env [Hash{String => String}] of its processes
    # @param container [#open] Container or Uncontained
    # @yieldparam recorder [StoryRecorder]
    # @return [void]
    def self.make(target, app:, host:, env: {}, container: Container)
      container.open do |container|
        Holdup::Lab::Folders.open do |folders|
          recorder = new(container, **folders, env: {"HOLDUP_APP" => app, "HOLDUP_HOST" => host, **env})
          yield recorder
          recorder.pack(target)
        ensure
          recorder&.stop
        end
      end
    end

    def initialize(container, folder:, segments:, env:)
      @container = container
      @folder = folder
      @env = {"HOLDUP_DIR" => segments, "HOLDUP_STORE" => store, **env}
      @children = {}
    end

    # @param name [Symbol] to stop it by
    # @param command [Array<String>] runs with Holdup in it, in the container
    # @param chdir [String] the application's folder
    # @return [void]
    def start(name, *command, chdir:, env: {})
      collect unless @children.key?(:collector)
      run(name, RbConfig.ruby, EXE, "exec", "--no-collector", "--", *command, chdir:, env:)
    end

    # @param names [Array<Symbol>] of processes; none: all, the collector last
    # @return [void]
    def stop(*names)
      names = @children.keys.reverse if names.empty?
      names.each { |name| @children.delete(name)&.stop }
    end

    # Begins at a full minute, and returns after the last one.
    # @param minutes [Integer]
    # @yieldparam seconds [Integer] that the load may last
    # @return [void]
    def minutes(minutes)
      await_minute
      start_s = Time.now.to_i / MINUTE_S * MINUTE_S
      @from_s ||= start_s
      @to_s = start_s + minutes * MINUTE_S
      yield minutes * MINUTE_S - LEAD_S
      await_minute
      pause(LEAD_S)
    end

    # Leaves the minutes of the load, from which a store makes longer windows again.
    # @param kinds [Array<String>] of series that the story does not show
    # @param tables [Array<String>] that it does not show
    # @return [void]
    def thin(kinds: [], tables: [])
      stop
      other = "seconds > #{MINUTE_S} OR start_s NOT BETWEEN #{@from_s} AND #{@to_s - 1}"
      left_out = "kind IN (#{kinds.map { |kind| "'#{kind}'" }.join(", ")})"
      system("sqlite3", store, <<~SQL, exception: true)
        DELETE FROM windows WHERE #{other};
        DELETE FROM pair_blocks WHERE #{other};
        DELETE FROM windows WHERE series_id IN (SELECT id FROM series WHERE #{left_out});
        DELETE FROM series WHERE #{left_out};
        DELETE FROM recent_figures WHERE start_s NOT BETWEEN #{@from_s} AND #{@to_s - 1};
        #{tables.map { |table| "DELETE FROM #{table};" }.join("\n")}
        UPDATE tiers SET rolled_to_s = #{@from_s} - #{@from_s} % seconds WHERE seconds > #{MINUTE_S};
      SQL
    end

    def pause(seconds) = IO.select(nil, nil, nil, seconds)

    # @param arguments [Array<String>] "advise", "--since", "5m"
    # @return [String] what the command prints
    def ask(*arguments)
      Open3.capture2e(@env, RbConfig.ruby, EXE, *arguments).first
    end

    # What the processes of that name said.
    def said(name) = File.read(log(name))

    # @param words [String] that it says when it is ready
    # @return [void]
    def await(name, words, patience_s: 120)
      deadline = Time.now + patience_s
      until said(name).include?(words)
        raise "#{name} did not start:\n#{said(name)}" if Time.now > deadline || !@children[name].alive?
        pause(0.1)
      end
    end

    # @param target [String] a file in test/fixtures
    # @return [void]
    def pack(target)
      stop
      system("sqlite3", store, "VACUUM", exception: true)
      system("gzip", "-9nc", store, out: target, exception: true)
    end

    def say(text) = warn("#{Time.now.utc.strftime("%T")} #{text}")

    # @return [String] its path
    def store = File.join(@folder, "store.sqlite3")

    private

    def await_minute
      left_s = MINUTE_S - Time.now.to_f % MINUTE_S
      left_s += MINUTE_S if left_s < LEAD_S
      pause(left_s)
    end

    def collect
      run(:collector, RbConfig.ruby, EXE, "collect", chdir: @folder)
    end

    def run(name, *command, chdir:, env: {})
      log = log(name)
      File.write(log, "")
      @children[name] = Holdup::Lab::Child.new(*@container.inside(*command), env: {**@env, **env},
        folder: chdir, log:, grace_s: GRACE_S)
    end

    def log(name) = File.join(@folder, "#{name}.log")
  end
end
