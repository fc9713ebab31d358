# frozen_string_literal: true

module Holdup
  class Runtime
    # What the application has whatever serves it, such as pools of database connections: told along with the
    # server's facts and pools in each process that measures. One that fails is left out of the tick, the
    # others are told.
    class Resources
      # @param guard [Guard]
      def initialize(guard)
        @guard = guard
        @all = []
      end

      # @param resource [#install, #facts, #pools, #gauges, #profile] `install` is called again and again:
      #   what it needs may be loaded late
      # @return [void]
      def add(resource)
        @all |= [resource]
      end

      # @return [void]
      def install = each(&:install)

      # @return [Hash{String => Object}] for the setting
      def facts = each(&:facts).inject({}, :merge)

      # @return [Array<Servers::Pool>]
      def pools = each(&:pools).flatten(1)

      # @return [Hash{Symbol => Integer}] by the names of Segment::Layout::GAUGES
      def gauges = each(&:gauges).inject({}, :merge)

      # @return [Hash{String => Object}] for the segment's profile
      def profile = each(&:profile).inject({}, :merge)

      private

      def each
        @all.filter_map { |resource| @guard.call(:resource) { yield resource } }
      end
    end
  end
end
