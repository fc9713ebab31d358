# frozen_string_literal: true

require_relative "jits/life"
require_relative "jits/origins"
require_relative "jits/server"
require_relative "lives"
require_relative "processes/trail"

module Holdup
  module Analysis
    # The JIT of all processes that were sampled. Pure: samples and settings in, figures out.
    #
    #   jits = Holdup::Analysis::Jits.new(store.processes(from, to), settings: {"a1b2" => setting})
    #   jits.on.sum { |life| life.facts.memory_bytes }
    class Jits
      EVERY_S = 60
      # So many samples may be missing of a process that is still there.
      MISSING = 3

      # @return [Integer] seconds between two samples of a process
      attr_reader :every_s

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param settings [Hash{String => Setting}] by fingerprint
      # @param every_s [Integer] seconds between two samples of a process
      def initialize(samples, settings: {}, every_s: EVERY_S)
        @samples = samples.reject { |sample| Processes::Trail.container?(sample) }.sort_by { |sample| sample[:at_s] }
        @settings = settings
        @every_s = every_s
      end

      # @return [Array<Life>] of processes that have told anything about it
      def lives
        @lives ||= Processes::Trail.all(@samples).map { |trail| life(trail) }.select { |life| life.facts.kind }
          .sort_by { |life| [life.host.to_s, life.born_s, life.name.to_s, life.trail[:pid]] }
      end

      # @return [Array<Life>] that had not ended at last; where all have, those that ended last
      def present
        @present ||= lives.select { |life| life.last_s >= newest_s - MISSING * @every_s }.then { |latest| latest.all?(&:ended?) ? latest : latest.reject(&:ended?) }
      end

      # @return [Array<Life>] of these, those with a JIT
      def on = present.select { |life| life.facts.on? }

      # @return [Array<Life>] of these, those without
      def off = present.select { |life| life.facts.off? }

      # @return [Origins]
      def origins = Origins.new(present.map(&:place))

      # @return [Array<Lives>] workers that were replaced before their JIT paid, one for each server
      def wasted = Lives.of(@samples).select(&:wasted?)

      # @return [Array<Server>]
      def servers
        @servers ||= lives.group_by(&:server).map { |name, same| Server.new(name, same, present.select { |life| life.server == name }) }
          .sort_by { |server| server.name.to_s }
      end

      private

      def newest_s = lives.map(&:last_s).max

      def life(trail) = Life.new(trail, setting: @settings[trail[:setting]]&.attributes || {})
    end
  end
end
