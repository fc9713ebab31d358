# frozen_string_literal: true

module Holdup
  module JitReport
    # The JIT in the processes of each server: where it is on, its memory, warm-up, and the processes'
    # lifetimes.
    class JitTable < View::SectionBase
      PARTS = [:samples].freeze

      COLUMNS = %i[jit_on jit_code jit_metadata jit_limit jit_full jit_warm jit_after_units jit_after
        jit_life].freeze
      # Ages at which the warm-up is reported.
      AGES_S = [60, 600, 3600].freeze

      # @return [View::Section, nil] nil without reports of processes
      def call
        return if servers.empty?
        View::Section.new(title: word(:jit), columns: [word(:process), *COLUMNS.map { |key| word(key) }],
          rows: servers.map { |server| row(server) },
          notes: servers.flat_map { |server| notes(server) } + [word(:jit_note)])
      end

      private

      def servers
        @servers ||= summary.jits.servers.select { |server|
          server.present.any? { |life| life.trail[:jit_enabled] }
        }
      end

      def row(server)
        [name(server), "#{server.on.size}/#{server.present.size}", *sizes(server), *warmth(server),
          View::Figures.short_count(server.units_per_life)]
      end

      def sizes(server)
        [
          *%i[code_bytes metadata_bytes
            limit_bytes].map { |key|
            View::Figures.bytes(server.median { |life|
              life.facts.public_send(key)
            })
          },
          View::Figures.count(server.saturated)
        ]
      end

      def warmth(server)
        seconds = server.median(&:warm_after_s)
        [View::Figures.count(server.warm), View::Figures.short_count(server.median(&:warm_after_units)),
          duration(seconds && seconds * NS)]
      end

      def notes(server)
        server.on.any? ? [origin(server), warm_up(server), thrown_away(server)].compact : []
      end

      def origin(server)
        word(:jit_origin, server: name(server), kind: server.all(:kind).join(", "), since: since(server),
          by: list(server, :by), at: list(server, :at),
          limit: list(server, :limit_from), of: list(server, :limit_of))
      end

      def warm_up(server)
        if server.warm_up(AGES_S).empty?
          return curve(server, :jit_curve_compiling, server.compiling(AGES_S))
        end
        curve(server, :jit_curve, server.warm_up(AGES_S))
      end

      def curve(server, key, points)
        points = points.map { |age_s, count|
          word(:jit_point, count: View::Figures.rate(count), age: View::Figures.rough(age_s * NS))
        }
        word(key, server: name(server), points: @words.list(points)) if points.any?
      end

      def thrown_away(server)
        known = server.median { |life| life.facts.invalidations } or return
        word(:jit_thrown_away, server: name(server), count: View::Figures.count(known),
          redefined: View::Figures.count(server.median { |life| life.facts.redefined }),
          collections: View::Figures.count(server.median { |life| life.facts.code_gcs }))
      end

      def name(server)
        server.name ? label(server.name) : word(:unknown_server)
      end

      def list(server, key)
        found = server.all(key).map { |fact| @words.jit_fact(fact.to_s) }
        found.empty? ? View::Figures::NONE : label(@words.list(found))
      end

      def since(server)
        server.since_ns ? Time.at(server.since_ns / NS, in: "UTC").strftime("%F %T UTC") : View::Figures::NONE
      end
    end
  end
end
