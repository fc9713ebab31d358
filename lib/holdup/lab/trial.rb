# frozen_string_literal: true

module Holdup
  module Lab
    # One setting on the user's own server, measured by Holdup as production would be: boots the command, asks
    # until it answers, warms it up until it is steady, and hands over a session that can be measured as often
    # as one likes. Whatever happens, the server is stopped. Every step is bounded in time.
    #
    #   trial = Trial.new(%w[bundle exec puma], routes: [Route.new(label: "/", path: "/")], env: ENV.to_h)
    #   trial.call(Arm.new(processes: 1, threads: 5), rate: 40) { |session| session.measure(rate: 40, seconds: 20) }  # => Outcome
    class Trial
      # @param command [Array<String>] see Served
      # @param routes [Array<Route>]
      # @param env [Hash{String => String}] the environment
      # @param root [String] where the command runs
      # @param port [Integer, nil] see Served
      # @param load [#call] OpenLoop, or a tool
      # @param warm_up_s [Numeric] at most
      # @param boot_s [Numeric] at most
      # @param log [#warn]
      # @param progress [#call] gets a Symbol (:boot, :warm_up, :measure, :stop) and facts
      def initialize(command, routes:, env:, root: Dir.pwd, port: nil, load: OpenLoop.new, warm_up_s: WarmUp::LONGEST_S, boot_s: ServerUnderTest::BOOT_S,
        log: Log.new { $stderr }, progress: ->(_step, **_facts) {})
        @command = command
        @routes = routes
        @served = {env:, root:, port:}
        @load = load
        @warm_up_s = warm_up_s
        @boot_s = boot_s
        @log = log
        @progress = progress
      end

      # @param arm [Arm]
      # @param rate [Numeric] requests per second of the warm-up
      # @yieldparam session [Session]
      # @return [Object] the block's value
      # @raise [Holdup::Error] the server doesn't boot, doesn't answer, isn't measured or has another setting
      #   than it was told
      def call(arm, rate:)
        Folders.open do |folders|
          served = ServerUnderTest.new(@command, arm:, **folders, **@served)
          @progress.call(:boot, arm:)
          served.boot(@routes.first, patience_s: @boot_s)
          session = Session.new(arm:, served:, intake: InMemoryStore.new(folders[:segments], log: @log),
            routes: @routes, load: @load, progress: @progress)
          yield session.warm_up(rate, longest_s: @warm_up_s)
        ensure
          @progress.call(:stop, arm:)
          served&.stop
        end
      end
    end
  end
end
