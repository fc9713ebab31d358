# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # What ends processes of a server when they grow too large: see Jit::MemoryKillers. `of`: "process", or
      # "all" (the sum over the server and its workers); `unit_bytes`: one unit of its setting.
      class MemoryKiller < Data.define(:name, :of, :limit_bytes, :units, :every_s, :unit_bytes)
        SETTINGS = {
          "puma_worker_killer" => "ram = %d",
          "unicorn-worker-killer" => "memory_limit_min = %d",
          "sidekiq-worker-killer" => "max_rss: %d",
          "sidekiqswarm" => "SIDEKIQ_MAXMEM_MB=%d"
        }.freeze

        def initialize(unit_bytes: nil, **rest)
          super
        end

        # Returns nil also when the killer is for another server, or counts workers of a missing master.
        def self.of(trail)
          servers = trail[:server].to_s.split("+")
          return unless trail[:"killer.name"] && servers.include?(trail[:"killer.server"])
          killer = new(**members.to_h { |name| [name, trail[:"killer.#{name}"]] })
          killer unless killer.all? && !trail[:name].to_s.start_with?("worker ")
        end

        def all? = of == "all"

        # The line that makes its limit so large: "ram = 140".
        def line(bytes)
          setting = SETTINGS[name]
          setting && format(setting, (bytes / (unit_bytes || MIB).to_f).ceil)
        end

        # What a memory killer counts: resident memory (VmRSS, in which a shared page counts once for each
        # process), of each process, or of the largest master with its workers.
        class KillerFootprint
          # `workers`: number that the server is to have; `master_known`: whether the master was sampled
          MasterGroup = Data.define(:rss_bytes, :workers, :master_bytes, :master_known) do
            def seen_bytes
              rss_bytes.sum + (master_known ? master_bytes : 0)
            end

            def bytes(each_bytes)
              each_bytes * workers + (master_bytes * MemoryGrowth::MARGIN).ceil
            end
          end

          # Bytes that each process needs in addition to its known growth.
          attr_reader :room_bytes

          # @param growth [MemoryGrowth] of all processes, also ended ones
          def initialize(killer, present, growth, room_bytes: 0)
            @killer = killer
            @present = present
            @growth = growth
            @room_bytes = room_bytes
          end

          def each_bytes
            known_bytes = @growth.limit_bytes
            known_bytes && known_bytes + room_bytes
          end

          def all? = !!@killer&.all?

          # Bytes that the killer's limit has to leave.
          def needed_bytes
            (each_bytes && all?) ? largest.bytes(each_bytes) : each_bytes
          end

          def seen_bytes
            all? ? groups.map(&:seen_bytes).max : @present.filter_map(&:rss_bytes).max
          end

          def more_bytes(each_bytes)
            each_bytes * (all? ? largest.workers : 1)
          end

          # The group whose need decides.
          def largest
            @largest ||= groups.max_by { |group| group.bytes(each_bytes.to_i) }
          end

          private

          def groups
            @groups ||= begin
              by_master = @present.group_by { |life| [life.host, life.master_pid] }
              by_master.values.map { |lives| group(lives) }
            end
          end

          # A killer ends workers, so some may be missing just now.
          def group(lives)
            seen_bytes = lives.filter_map(&:master_rss_bytes).max
            workers = [lives.size, *lives.map { |life| life["workers"].to_i }].max
            MasterGroup.new(rss_bytes: lives.filter_map(&:rss_bytes), workers:,
              master_bytes: seen_bytes || @growth.first_bytes.to_i, master_known: !!seen_bytes)
          end
        end

        # How large processes get with age: the 95th percentile of their resident memory as far as it was
        # seen, and beyond that extrapolated by the growth in the older half of their lives.
        class MemoryGrowth
          PERCENTILE = 0.95
          # Shorter intervals say nothing of growth.
          SLOPE_S = 600
          # A worker should live at least so long, and take so many units, to profit from what it compiled.
          WANTED_S = 1800
          WANTED_UNITS = 2000
          # Reserve for growth that was not seen.
          MARGIN = 1.1

          def initialize(lives)
            @lives = lives
          end

          def known? = points.any?

          # The highest age with a figure.
          def seen_s = points.map(&:first).max

          # Bytes that one in twenty exceeds at that age.
          def at(age_s)
            younger = points.select { |age, _| age <= age_s }
            younger = points if younger.empty?
            oldest_s = younger.map(&:first).max
            seen = percentile(younger.select { |age, _| age >= oldest_s / 2 }.map(&:last))
            seen && seen + [age_s - seen_s, 0].max * slope
          end

          # Bytes a second in the older half of their lives, never negative; the median.
          def slope
            slopes[slopes.size / 2] || 0.0
          end

          def wanted_s
            rates = @lives.filter_map do |life|
              life.units.fdiv(life.age_s) if life.units&.positive? && life.age_s.positive?
            end
            return WANTED_S if rates.empty?
            [WANTED_S, (WANTED_UNITS / rates.sort[rates.size / 2]).ceil].max
          end

          # Where limit_bytes comes from: :seen at that age, :extrapolated, or :unknown: what processes took
          # up to now, because none lived long enough to show growth.
          def basis
            return :seen if seen_s >= wanted_s
            slopes.any? ? :extrapolated : :unknown
          end

          # What the smallest process had at first: about what a master has that has loaded the application.
          def first_bytes
            @lives.filter_map { |life| life.trail.points(:rss_bytes).first&.last }.min
          end

          def limit_bytes
            known? ? (at(wanted_s) * MARGIN).ceil : nil
          end

          private

          def slopes
            @slopes ||= @lives.filter_map { |life| slope_of(life) }.sort
          end

          # @return [Array<(Integer, Integer)>] age in seconds, bytes
          def points
            @points ||= @lives.flat_map do |life|
              life.trail.points(:rss_bytes).map { |at_s, bytes| [at_s - life.born_s, bytes] }
            end
          end

          def percentile(values)
            values.sort[((values.size - 1) * PERCENTILE).ceil]
          end

          def slope_of(life)
            points = life.trail.points(:rss_bytes)
            return if points.empty?
            older = points.last([(points.size / 2.0).ceil, 2].max)
            from_s, from_bytes = older.first
            to_s, to_bytes = older.last
            [(to_bytes - from_bytes).fdiv(to_s - from_s), 0.0].max if to_s - from_s >= SLOPE_S
          end
        end
      end
    end
  end
end
