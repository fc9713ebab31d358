# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # Why a request or job of a capture was slow, as a chain: what it waited for longest, who was the
      # reason, what that one waited for, and so on. A link is about one request or job, and counts all that
      # the capture has of it.
      class UnitChain
        # - `unit`: TimelineUnit that waited
        # - `kind`: `:pair` for the GVL, `:lock_pair` for a lock, `:pool_pair` for a connection
        # - `ticks`: for how long
        # - `parts`: Array of WaitPart, all of the one who held the GVL for most of it, or who ended most of
        #   the waits for locks; empty where that is not known
        ChainLink = Data.define(:unit, :kind, :ticks, :parts) do
          def held = parts.sum(&:ticks)

          # @return [TimelineUnit, nil] nil for a thread outside of requests and jobs
          def holder = parts.first&.unit
        end

        def initialize(scene)
          @scene = scene
        end

        # @param unit [TimelineUnit]
        # @return [Array<ChainLink>] at most WaitChain::MOST
        def call(unit)
          links = []
          most = Analysis::WaitChain::MOST
          while unit && links.size < most && links.none? { |link| link.unit.equal?(unit) }
            link = longest(unit) or break
            links << link
            unit = link.holder
          end
          links
        end

        private

        # @return [ChainLink, nil] nil where it waited for little
        def longest(unit)
          spans = @scene.spans_of(unit)
          link = [for_gvl(unit, spans), for_locks(unit, spans), for_connections(unit)].max_by(&:ticks)
          link if link.ticks.positive? && link.ticks >= length(unit) * Analysis::WaitChain::EXPLAINS
        end

        def length(unit)
          (unit.to || @scene.recording.length_ticks) - [unit.from, 0].max
        end

        def for_gvl(unit, spans)
          waits = spans.select { |span| span.state == :stalled }.map { |span| @scene.wait(unit.lane, span) }
          link(unit, :pair, waits.sum { |wait| wait.span.length }, waits.flat_map(&:parts))
        end

        # Another thread runs when a wait for a lock ends: it unlocks, pushes, signals or ends.
        def for_locks(unit, spans)
          waits = spans.select { |span| span.kind == :lock }
          ended = waits.filter_map { |span| @scene.ended_by(unit.lane, span) }
          link(unit, :lock_pair, waits.sum(&:length), ended)
        end

        # Who has the connections is not in a capture.
        def for_connections(unit)
          waits = @scene.pool_waits.filter_map do |lane, span|
            within = span.from >= unit.from && span.to <= (unit.to || span.to)
            span if lane == unit.lane && within
          end
          link(unit, :pool_pair, waits.sum(&:length), [])
        end

        def link(unit, kind, ticks, parts)
          same = parts.group_by { |part| part.unit&.id || part.lane }.values
          ChainLink.new(unit:, kind:, ticks:, parts: same.max_by { |own| own.sum(&:ticks) } || [])
        end
      end
    end
  end
end
