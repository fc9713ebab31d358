# frozen_string_literal: true

require_relative "../demo/children"
require_relative "../demo/sending"
require_relative "../demo/storefront"
require_relative "../demo/traffic"

module Stories
  # examples/storefront in the container of a recording, and the customers who come to it.
  class ContainedShop
    CUSTOMERS = 12
    # As many times as long as the shop takes to answer, where it can't answer as fast as they ask.
    PAUSES = 1

    # Demo::Children whose processes run in the container of a recording.
    class ContainedChildren < Demo::Children
      def initialize(container)
        super()
        @container = container
      end

      def start(name, env, *command, **options) = super(name, env, *@container.inside(*command), **options)
    end

    attr_reader :children

    # @param recorder [StoryRecorder]
    # @param config [String] of Puma
    # @param env [Hash{String => String}] of all its processes, in addition to the recorder's
    # @param children [Demo::Children]
    def initialize(recorder, config:, env: {}, children: ContainedChildren.new(recorder.container))
      @recorder = recorder
      @children = children
      @storefront = Demo::Storefront.new(children:, folder: recorder.folder, env: {**recorder.env, **env},
        config:)
    end

    # @param workers [Integer]
    # @param threads [Integer] of each
    # @param env [Hash{String => String}] until the next restart
    # @return [void]
    def restart(**setting)
      @storefront.url ? @storefront.restart(**setting) : @storefront.boot(**setting)
    end

    # @return [Hash{String => String}] what processes of the shop need
    def env = @storefront.env

    # @param about [String] for the log
    # @param rate [Numeric] requests a second
    # @param seconds [Numeric]
    # @param weights [Hash{String => Numeric}] of some endpoints, where all together have about 100
    # @param around [#call] gets the block in which they come
    # @return [void]
    def customers(about, rate:, seconds:, weights: {}, **around)
      @recorder.say("#{about}: #{rate} requests a second for #{seconds.round} seconds")
      plan = Demo::LoadPlan.new(customers: CUSTOMERS, pauses: PAUSES, rate:, seconds:)
      sending = Demo::Sending.new(err: $stderr, **around)
      sending.call(@storefront.url, routes(weights), plan, seed: 1)
    end

    # @return [void]
    def stop = @children.stop_all

    private

    def routes(weights)
      weighted = Demo::Traffic.routes.map do |route|
        route.with(weight: weights.fetch(route.label, route.weight))
      end
      weighted.select { |route| route.weight.positive? }
    end
  end
end
