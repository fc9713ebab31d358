# frozen_string_literal: true

module Holdup
  class Runtime
    # What belongs to the application and is not its server: pools of connections, hooks into its libraries.
    # Who includes it has `install`, which is called when measuring starts and at each tick, because what it
    # needs may be loaded late, and overrides what it can tell.
    module Resource
      # @return [Hash{String => String}] of the setting
      def facts = {}

      # @return [Array<Servers::Pool>]
      def pools = []

      # @return [Hash{Symbol => Integer}] by the names of Segment::Layout::GAUGES
      def gauges = {}

      # @return [Hash{String => Object}] of the process, for doctor and the collector
      def profile = {}
    end

    # A resource whose file is loaded once the application has what it is about.
    class LateResource
      # @param needed [#call] whether the application has it; asked at each tick until it has
      # @yieldreturn [Resource]
      def initialize(needed, &build)
        @needed = needed
        @build = build
      end

      def install
        @resource ||= (@build.call if @needed.call)
        @resource&.install
      end

      def facts = @resource ? @resource.facts : {}

      def pools = @resource ? @resource.pools : []

      def gauges = @resource ? @resource.gauges : {}

      def profile = @resource ? @resource.profile : {}
    end

    # Resources of the application that do not depend on the server, such as connection pools: recorded with
    # the server's facts and pools in each measuring process. A resource that fails is left out of the tick.
    class Resources
      def initialize(guard)
        @guard = guard
        @all = []
      end

      # @param resource [Resource]
      def add(resource)
        @all |= [resource]
      end

      def install = each(&:install)

      def facts = each(&:facts).inject({}, :merge)

      def pools = each(&:pools).flatten(1)

      # The keys are the names of Segment::Layout::GAUGES.
      def gauges = each(&:gauges).inject({}, :merge)

      def profile = each(&:profile).inject({}, :merge)

      private

      def each
        @all.filter_map { |resource| @guard.call(:resource) { yield resource } }
      end
    end
  end
end
