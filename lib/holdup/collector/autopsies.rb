# frozen_string_literal: true

module Holdup
  class Collector
    # Makes autopsies of the processes that a round finds dead: they are gone and have not closed their
    # segments, as each process does that ends by itself (a graceful stop, a restart, Ctrl-C). One that a
    # worker killer ends closes its segment too, and counts as dead.
    #
    # A forked helper that leaves by `exit!` closes nothing either. It is no server's process and has nothing
    # in flight, so it counts as ended.
    class Autopsies
      # Requests and jobs that ended last.
      MOST_ENDED = 20
      # How long before the death memory is of interest.
      MEMORY_S = 600
      # Names whose shares are kept, those with the largest ones.
      MOST_NAMES = 100

      # A master reaps its workers at once, or when it looks for them, every five seconds.
      NOTED_NS = 10 * NS
      # The kernel kills for memory with it.
      KILL = Signal.list.fetch("KILL")

      # What a segment says of a process that died.
      DeadProcess = Data.define(:name, :header, :setting, :facts)
      private_constant :DeadProcess

      # @param store [#processes, #sums]
      # @param memory_kills [#count] see MemoryKills
      def initialize(store:, host:, memory_kills: MemoryKills.new)
        @store = store
        @host = host
        @memory_kills = memory_kills
        start
      end

      # Begins a round. What an earlier one could not write is found again.
      # @param path [String, nil] of the folder of the segments
      def start(now_ns = 0, path: nil)
        @now_ns = now_ns
        @path = path
        @notes = path && ExitNote::ExitFiles.new(path)
        @memory_kills.count(now_ns, path:)
        @found = []
      end

      # Its segment stays until it is known how it died, or until that should be known.
      # @return [Boolean] whether the master of a dead process is about to say how it died
      def awaited?(header, setting)
        return false if header.worker_index.negative? || note(header)
        adapter = Servers::ADAPTERS[setting["server"]] or return false
        adapter.notes_exits?(setting) && (@now_ns - header.heartbeat_ns).abs < NOTED_NS
      end

      # @return [Boolean] whether a worker killer has ended that process, which has closed its segment
      def killed?(header) = note(header)&.reason == :killer

      # @param name [String] of the segment
      # @param reader [Segment::Reader] of a process that is dead, or that was ended by a worker killer
      # @param slots [Array<#series, nil>] by the numbers that its ring has
      # @return [void]
      # @raise [SegmentError]
      def add(name, reader, setting, slots)
        header = reader.header
        units = reader.open_units
        return if units.empty? && helper?(header)
        facts = {**Autopsies.facts(reader, units), ended: ended(reader, slots)}
        @found << DeadProcess.new(name:, header:, setting:, facts:)
      end

      # @param reader [Segment::Reader]
      # @param units [Array<Segment::OpenUnit>] its requests and jobs in flight
      # @return [Hash{Symbol => Object}] what the process was doing, for an Autopsy
      # @raise [SegmentError]
      def self.facts(reader, units)
        header = reader.header
        profile = reader.profile || {}
        gvl = reader.open_state
        # A request may have begun, and been looked at, after the last tick.
        seen = units.flat_map { |unit| [unit.started_ns, unit.seen_ns] }
        {server: profile["server"], units: units.map { |unit| unit.to_h.compact },
         beyond: reader.open_units_beyond, gvl: gvl.seen_ns && gvl.to_h,
         alive_ns: [header.heartbeat_ns, *seen.compact].max, objects: header.gauges[:allocated_objects]}
      end

      # @param folder [String] id of the folder of the segments
      # @return [Array<Autopsy>] of the processes that were found dead in this round
      # @raise [StoreError]
      def to_a(folder, now_ns)
        return [] if @found.empty?
        from_ns = @found.map { |dead| dead.facts[:alive_ns] }.min
        samples = @store.processes(from_ns / NS - MEMORY_S, now_ns / NS + 1)
        samples = samples.select { |sample| sample[:host] == @host }
        shares = Hash.new { |known, key| known[key] = LoadShares.new(@store, @host, *key).to_h }
        # Now, because the kernel has counted a kill before the process is found dead.
        memory_kills = @memory_kills.count(@now_ns, path: @path)
        @found.map do |dead|
          death = how(dead.header, memory_kills)
          memory_kills -= 1 if death[:reason] == :oom
          autopsy(dead, folder, now_ns, death, samples, shares)
        end
      end

      # The caller does this after the commit.
      # @param autopsies [Array<Autopsy>]
      def committed(autopsies)
        @memory_kills.explained(autopsies.count { |autopsy| autopsy.reason == :oom })
        @notes&.remove(autopsies.map(&:pid), @now_ns / NS)
      end

      private

      # A worker may die before its first tick, which tells its pools.
      def helper?(header) = header.worker_index.negative? && header.pools.empty?

      def note(header) = @notes&.find(header.pid, since_ns: header.created_ns)

      # @return [Hash{Symbol => Object}] reason, status and told_ns
      def how(header, memory_kills)
        note = note(header)
        killed = note.nil? || (note.reason == :signal && note.status == KILL)
        reason = (killed && memory_kills.positive?) ? :oom : note&.reason
        {reason:, status: note&.status, told_ns: note&.at_ns}.compact
      end

      def autopsy(dead, folder, now_ns, death, samples, shares)
        header = dead.header
        setting = dead.setting.fingerprint
        to_s = dead.facts[:alive_ns] / NS / MINUTE_S * MINUTE_S
        Autopsy.new(source: "#{folder}/#{dead.name}:#{header.created_ns}", host: @host, pid: header.pid,
          name: header.process_name, setting:, since_ns: header.created_ns, gone_ns: now_ns,
          memory: memory(header, samples), shares: shares[[dead.setting, to_s]], **death, **dead.facts)
      end

      def ended(reader, slots)
        since = [reader.header.ring_head - MOST_ENDED, 0].max
        reader.ring(since:).filter_map do |entry|
          series = slots[entry.series_index]&.series or next
          {kind: series.kind, name: series.name, start_ns: entry.start_ns, wall_ns: entry.wall_ns}
        end
      end

      def memory(header, samples)
        own = samples.select { |sample| sample[:pid] == header.pid && sample[:start] == header.start }
        own.filter_map { |sample| sample.slice(:at_s, :rss_bytes) if sample[:rss_bytes] }
      end
    end

    # How many processes of the collector's own container the kernel has killed for memory, and of which it is
    # not known yet which ones they were. In another container the collector does not see it.
    #
    # The kernel may kill the collector, too. So the folder of the segments has how many kills were explained,
    # for the next collector.
    class Autopsies::MemoryKills
      # A process that was killed is found within so long.
      FOUND_NS = 60 * NS
      FILES = %w[memory.events memory.oom_control].freeze
      # In the folder of the segments: a count, and the container's group.
      NOTE = "collector.kills"
      LINE = /\A(\d{1,20}) (.+)\n\z/
      MOST_BYTES = 4096

      def initialize(group: SettingFacts::Cgroup.new)
        @group = group
        @unexplained = 0
        @last = read
      end

      # For a call in each round.
      # @param path [String, nil] of the folder of the segments
      # @return [Integer]
      def count(now_ns, path: nil)
        resume(path) if path && path != @path
        now = read || @last # a group without memory may not be read
        if now && @last && now > @last
          @unexplained += now - @last
          @seen_ns = now_ns
        end
        @last = now
        @unexplained = 0 if @seen_ns && now_ns - @seen_ns > FOUND_NS
        note
        @unexplained
      end

      # So many of them were found.
      def explained(number)
        @unexplained = [@unexplained - number, 0].max
        note
      end

      private

      def folder = @group.folders("memory").first

      # @return [Integer, nil]
      def read
        folder = folder() or return
        text = FILES.filter_map { |name| @group.read(File.join(folder, name)) }.first
        text.to_s[/^oom_kill (\d+)$/, 1]&.to_i
      end

      # Goes on where the collector before this one was killed. A container that began anew counts from 0.
      def resume(path)
        @path = path
        @noted, group = noted
        @last = @noted if @noted && @last && group == folder && @noted < @last
      end

      def noted
        flags = File::RDONLY | File::NOFOLLOW
        text = File.open(File.join(@path, NOTE), flags) { |file| file.read(MOST_BYTES).to_s }
        count, group = LINE.match(text)&.captures
        [count&.to_i, group]
      rescue SystemCallError
        nil
      end

      # The next round tries again.
      def note
        explained = @last && @last - @unexplained
        return if @path.nil? || explained.nil? || explained == @noted
        flags = File::WRONLY | File::CREAT | File::TRUNC | File::NOFOLLOW
        line = "#{explained} #{folder}\n"
        File.open(File.join(@path, NOTE), flags, 0o600) { |file| file.syswrite(line) }
        @noted = explained
      rescue SystemCallError
        nil
      end
    end

    # How many requests or jobs of each name a process had in flight, on average, in the hour before it died:
    # by chance, that is how often one of them is in flight when a process dies.
    class Autopsies::LoadShares
      # Processes are sampled once a minute. Seldom enough to be few, often enough to see short lives.
      EVERY_S = 300

      # @param setting [Setting] of the processes that count
      # @param to_s [Integer]
      def initialize(store, host, setting, to_s)
        @store = store
        @host = host
        @setting = setting
        @from_s = to_s - HOUR_S
        @to_s = to_s
      end

      # @return [Hash{String => Float}] empty where nothing is known of that hour
      def to_h
        lived_s = lived_s()
        return {} unless lived_s.positive?
        shares = time_ns.transform_values { |ns| (ns.fdiv(NS) / lived_s).round(6) }
        shares.select { |_, share| share.positive? }.max_by(Autopsies::MOST_NAMES, &:last).to_h
      end

      private

      # @return [Integer] how long all processes together lived in the hour
      def lived_s
        samples = @store.processes(@from_s, @to_s, every_s: EVERY_S)
        own = samples.select { |sample| sample[:host] == @host && sample[:setting] == @setting.fingerprint }
        lives = own.group_by { |sample| sample.values_at(:pid, :start) }.values
        lives.sum do |life|
          last = life.last
          end_s = last[:ended] ? last[:at_s] : @to_s
          [end_s - [last[:since_s].to_i, @from_s].max, 0].max
        end
      end

      # @return [Hash{String => Integer}] by name, the time that its requests and jobs took
      def time_ns
        sums = @store.sums(@from_s, @to_s, settings: [@setting], hosts: [@host], kinds: %i[request job],
          histograms: [], heads: %i[wall])
        sums.each_with_object(Hash.new(0)) do |sum, times|
          times[sum.window.series.name] += sum.window.histograms[:wall].sum
        end
      end
    end
  end
end
