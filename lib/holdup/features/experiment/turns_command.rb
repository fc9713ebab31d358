# frozen_string_literal: true

require "etc"

module Holdup
  module Experiment
    # Starts and ends an experiment in the running processes of this host, whose arms take turns in all of
    # them.
    class TurnsCommand
      # A collector's round and the end of threads that are too many take up to so long of each turn.
      SETTLE_S = 30
      SHORTEST_S = 60

      # @param console [CLI::Console]
      # @param dir [String, nil] folder of the segments; nil: where the application's processes look too
      def initialize(console, dir:)
        @console = console
        @folder = CLI::Places.directory(console.env, dir)
        @file = ExperimentPlan::PlanFile.new(@folder)
      end

      # @return [ExperimentPlan, nil] the one that runs, or else ran last
      def last
        @file.read.then { |plan| plan if plan&.turns }
      rescue DamagedData
        nil
      end

      # @param threads [Array<Integer>] of control and candidate; one number: of the candidate, and the
      #   control has what is set now
      # @param turn_s [Integer] s, whole minutes
      # @param length_s [Integer] s, after the A/A phase
      # @return [Array(ExperimentPlan, Integer)] and how many processes follow it
      # @raise [UsageError, Error] no process of this host can follow it
      def start(threads:, turn_s:, length_s:, why: "")
        check_folder
        refuse_another
        values = threads.one? ? [now_set, *threads] : threads
        check(values)
        turns = Switchback.after(now_s, turn_s:, settle_s: SETTLE_S, seed: rand(1 << 31),
          equal_cycles: LookSchedule::FEWEST, cycles: cycles(length_s, turn_s))
        plan = ExperimentPlan.new(id: new_id, lever: "threads", values:, turns:, by: user, why:)
        @file.write(plan)
        [plan, profiles.size]
      rescue SystemCallError => error
        raise Error.new("no experiment can be started in #{@folder} (#{error.message})",
          "run it as the application's user")
      rescue ArgumentError => error
        raise UsageError.new(error.message, "give a shorter --for or other --threads")
      end

      # What was measured in whole cycles can still be reported.
      # @return [ExperimentPlan, nil] the one that ran; nil: none did
      def stop
        plan = running or return
        ended = plan.turns.ended(now_s)
        ended ? @file.write(plan.with(turns: ended)) : @file.remove
        plan
      rescue SystemCallError => error
        raise Error.new("the experiment in #{@folder} can't be stopped (#{error.message})",
          "run it as the application's user; its end comes by itself")
      end

      private

      def now_s = @console.clock.realtime_s

      def running
        last.then { |plan| plan if plan && now_s < plan.turns.ends_s }
      end

      # A link could lead the plan to any file of this user in a folder that another user made.
      def check_folder
        Segment::Directory.new(@folder).check_owner
      rescue Errno::ENOENT
        refuse_host([])
      end

      def refuse_another
        other = running or return
        raise Error.new("experiment #{other.id} runs until #{Command.clock(other.turns.ends_s)}",
          "end it with holdup experiment stop")
      end

      def cycles(length_s, turn_s)
        least = LookSchedule::FEWEST
        cycles = length_s / (2 * turn_s)
        return cycles if cycles >= least
        raise UsageError.new("--for is too short for #{least} turns of each arm",
          "give at least #{Queries::OptionValues.length(least * 2 * turn_s, "")}, or a shorter --turn")
      end

      def new_id
        rand(36**4).to_s(36).rjust(4, "0")
      end

      def user
        name = @console.env.values_at("SUDO_USER", "USER").compact.first
        [name, Etc.uname[:nodename]].compact.join("@")
      end

      # Profiles of the living processes that can change their threads.
      # @return [Array<Hash{String => Object}>]
      def profiles
        @profiles ||= begin
          living = Segment::Directory.new(@folder).running
          found = living.filter_map { |entry| profile(entry) }
          able = found.select { |profile| profile.key?("live.threads") }
          able.any? ? able : refuse_host(living, found.filter_map { |profile| profile["live.none"] }.uniq)
        end
      end

      def profile(entry)
        entry.read(&:profile)
      rescue SegmentError, DamagedData, SystemCallError
        nil
      end

      # @param reasons [Array<String>] for which servers can't change: keys of the locales
      def refuse_host(living, reasons = [])
        if living.empty?
          raise Error.new("no process measures in #{@folder}",
            "run it as the application's user, with the application's HOLDUP_DIR")
        end
        none = "no process of #{@folder} can change its threads while it runs, as Puma 8 can"
        words = View::Words.new
        reasons = reasons.map { |key| words.key?(:"fixed_#{key}") ? words.call(:"fixed_#{key}") : key }
        raise Error.new(reasons.empty? ? none : reasons.join("; "),
          "start half of the processes with other threads, and each half with its own HOLDUP_ARM")
      end

      def now_set
        values = profiles.map { |profile| profile["lever.threads.value"].to_i }.uniq
        return values.first if values.one?
        raise Error.new("processes have different numbers of threads: #{values.sort.join(", ")}",
          "give both: --threads 5,3")
      end

      def check(values)
        if values.uniq.one?
          raise UsageError.new("both arms would have #{values.first} threads", "give another number")
        end
        limit = profiles.map { |profile| profile["live.threads"] }.min
        return if values.max <= limit
        raise Error.new("it takes #{values.max} threads, and config.live_threads allows #{limit}",
          "set HOLDUP_LIVE_THREADS=#{values.max} if the database pool has as many connections, and restart")
      end
    end
  end
end
