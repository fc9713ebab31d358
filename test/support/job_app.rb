# frozen_string_literal: true

require "holdup/loader"
require_relative "job_database"
require_relative "other_bundle"
require_relative "served_app"

# A real job runner (or a web server with one inside) in a process of its own, with a database of its own, and
# a client that enqueues for it.
class JobApp < ServedApp
  STOP_IDLE_S = 10

  # The application without its runner, for all tests with the same adapter: it connects to the database of
  # the test that asks.
  class AppClient
    # @param adapter [String] of Active Job
    # @return [AppClient] that runs until the last test
    def self.for(adapter, env)
      @clients ||= {}
      @clients[adapter] ||= new(env).tap { |client| Minitest.after_run { client.stop } }
    end

    # @param env [Hash{String => String}] with the first database
    def initialize(env)
      @database = env.fetch("DATABASE_URL")
      bundle = env.key?("BUNDLE_GEMFILE") ? OtherBundle::OF_THE_TESTS : {}
      @process = IO.popen({**bundle, **env, "GOOD_JOB_EXECUTION_MODE" => "external"},
        [*ServedApp::BUNDLED_RUBY, "-W0", "bin/client"], "r+", chdir: File.join(ServedApp::APPS, "jobs"))
      answer
    end

    # @param line [String] of Ruby
    # @param database [String] URL
    # @return [String] the inspected result
    def call(line, database)
      unless database == @database
        ask("ActiveRecord::Base.establish_connection(#{database.dump}).then { nil }")
        @database = database
      end
      ask(line)
    end

    def stop = @process.close

    private

    def ask(line)
      @process.puts(line)
      answer
    end

    def answer
      raise "the client does not answer" unless @process.wait_readable(WaitUntil::PATIENCE_S)
      @process.gets.to_s.chomp
    end
  end

  # @param command [Array<String>]
  # @param adapter [String] of Active Job
  # @param processes [Integer, nil] that measure when it is ready; nil: it is a web server and answers
  # @param env [Hash{String => String}] of the runner alone
  # @param shared [Hash{String => String}] of the runner and its client
  def initialize(*command, adapter:, processes: 1, env: {}, shared: {})
    @shared = {"ADAPTER" => adapter, "DATABASE_URL" => JobDatabase.create(adapter),
               "RAILS_ENV" => "production", **JobDatabase.bundle(adapter), **shared}
    @adapter = adapter
    @processes = processes
    super(*command, app: "jobs", env: {**LARGE_HEAP, **@shared, **env})
  end

  # @param line [String] of Ruby, for the application without its runner
  # @return [String] the inspected result
  def client(line)
    AppClient.for(@adapter, @shared).call(line, @shared.fetch("DATABASE_URL"))
  end

  # Waits until so many units are there, and returns them all.
  # @param expected [Hash{String => Integer}] units by name
  # @return [Hash{String => Integer}]
  def counted(expected)
    wait { expected.all? { |name, count| counts[name] >= count } }
    counts
  end

  # A runner that stops waits for its connections and schedulers, one after the other.
  def stop(signal = :TERM, idle_s: STOP_IDLE_S) = super

  # None before the first process measures.
  def live
    File.directory?(dir) ? super : []
  end

  # @return [Array<Holdup::Segment::Slot>] of jobs
  def units
    snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == :job }
  end

  # @return [Array<Holdup::Segment::Slot>] of one class of jobs
  def units_of(name)
    units.select { |slot| slot.series.name == name }
  end

  # @return [Hash{(String, String) => Integer}] units of one class by pool and priority
  def apart(name)
    units_of(name).group_by { |slot| [slot.series.pool, slot.series.priority] }.transform_values { |slots|
      slots.sum(&:count)
    }
  end

  # @return [Array<Holdup::Segment::Slot>] of requests
  def requests
    snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == :request }
  end

  # Waits until the collector, and with it the last process, has ended.
  # @return [Hash{String => Integer}] jobs by name, in the store
  def carried
    wait { processes.empty? }
    opened = Holdup::Store.open(store)
    opened.windows(0, Time.now.to_i + 120, kinds: [:job]).each_with_object(Hash.new(0)) { |window, sums|
      sums[window.series.name] += window.count
    }
  ensure
    opened&.close
  end

  # @return [Array<String>] what the collector has left in the folder
  def segments = Dir.glob("*.segment", base: dir)

  # @return [Array<Hash{String => Object}>] of the processes that run
  def profiles
    live.map { |entry| entry.read(&:profile) }
  end

  # @return [Array<Hash{String => Object}>] of the processes that run
  def settings
    live.map { |entry| entry.read(&:snapshot).setting.attributes }
  end

  # @return [Integer, nil] of the worker with that index
  def pid_of(worker)
    live.find { |entry| entry.read(&:header).worker_index == worker }&.pid
  end

  private

  def answers?
    @processes ? live.size == @processes : super
  end
end
