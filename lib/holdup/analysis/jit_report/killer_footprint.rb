# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # What a memory killer counts: resident memory (VmRSS, in which a shared page counts once for each
      # process), either of each process or of a master and all of its workers together. Where there are
      # several masters, of the one that takes most.
      class KillerFootprint
        # The processes of one master. `workers`: how many the server is to have; `master_bytes`: of the
        # master itself, and `master_known`: whether it was looked at
        MasterGroup = Data.define(:rss_bytes, :workers, :master_bytes, :master_known) do
          # @return [Integer] bytes that the killer counts now, as far as they are known
          def seen_bytes
            rss_bytes.sum + (master_known ? master_bytes : 0)
          end

          # @param each_bytes [Integer] of one worker
          # @return [Integer] bytes that it will see
          def with(each_bytes)
            each_bytes * workers + (master_bytes * MemoryGrowth::MARGIN).ceil
          end
        end

        # @param killer [MemoryKiller, nil]
        # @param present [Array<ProcessLife>] processes that are there
        # @param growth [MemoryGrowth] of all that there were
        # @param room_bytes [Integer] that is to be left to each process besides
        def initialize(killer, present, growth, room_bytes: 0)
          @killer = killer
          @present = present
          @growth = growth
          @room_bytes = room_bytes
        end

        # @return [Integer] that is to be left to each process besides what is known of its growth
        attr_reader :room_bytes

        # @return [Integer, nil] bytes that the limit has to leave to each process
        def each_bytes
          (known_bytes = @growth.limit_bytes) && known_bytes + room_bytes
        end

        # @return [Boolean] whether it counts a master and its workers together
        def all? = !!@killer&.all?

        # @return [Integer, nil] bytes that the limit has to leave
        def needed_bytes
          (each_bytes && all?) ? largest.with(each_bytes) : each_bytes
        end

        # @return [Integer, nil] bytes that it counts now
        def seen_bytes
          all? ? groups.map(&:seen_bytes).max : known.map(&:rss_bytes).max
        end

        # @param each_bytes [Integer] that one process may take more
        # @return [Integer] bytes that it will count more
        def more_bytes(each_bytes)
          each_bytes * (all? ? largest.workers : 1)
        end

        # @return [MasterGroup] whose need decides
        def largest
          @largest ||= groups.max_by { |group| group.with(each_bytes.to_i) }
        end

        private

        def known = @present.select(&:rss_bytes)

        def groups
          @groups ||= @present.group_by { |life| [life.host, life.master_pid] }.values.map { |lives|
            group(lives)
          }
        end

        # A killer ends workers, so some may be missing just now.
        def group(lives)
          seen_bytes = lives.filter_map(&:master_rss_bytes).max
          master_bytes = seen_bytes || @growth.first_bytes.to_i
          workers = [lives.size, *lives.map { |life| life["workers"].to_i }].max
          MasterGroup.new(rss_bytes: lives.filter_map(&:rss_bytes), workers:, master_bytes:,
            master_known: !!seen_bytes)
        end
      end
    end
  end
end
