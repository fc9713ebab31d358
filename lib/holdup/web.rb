# frozen_string_literal: true

module Holdup
  # Before its parts: they would find the constant still to be loaded.
  class Web
  end
end

module Holdup
  # The dashboard, a Rack application:
  #
  #   mount Holdup::Web => "/holdup"     # config/routes.rb
  #   run Holdup::Web                    # config.ru
  #
  # It reads a store and writes nothing. What it stands on (Roda, the store's library, the analysis) is loaded
  # by its first request, so that an application which mounts it boots as before. Its own requests are not
  # measured as the application's.
  class Web
    UNMEASURED = "holdup.unmeasured"
    DEVELOPMENT = %w[development test].freeze
    # A request here computes for longer than most: it gives the GVL back after an eighth of the usual time
    # slice.
    PRIORITY = -3
    # Where a capture is asked for.
    ORDERS = "/captures"

    class << self
      # @return [Array] with what the application's configuration says
      def call(env)
        mounted(configuration, development?).call(env)
      end

      private

      # One for as long as nothing is configured anew: it knows what is being worked out.
      def mounted(settings, open)
        return @mounted if settings.equal?(@settings) && open == @open
        @settings = settings
        @open = open
        @mounted = new(**facts(settings, open))
      end

      def facts(settings, open)
        {
          store: -> { open_store(settings) },
          dir: settings.segment_dir,
          captures: -> { captures_dir(settings) },
          orders: settings.web_capture,
          auth: settings.web_auth,
          open:
        }
      end

      def configuration
        Holdup.respond_to?(:configuration) ? Holdup.configuration : Configuration.build(env: ENV)
      end

      def open_store(settings)
        Store.open(settings.store || Store.default_url(ENV, home:), read_only: true)
      end

      def captures_dir(settings)
        Store.captures_dir(settings.store || Store.default_url(ENV, home:), ENV, home:)
      end

      def home
        ENV["HOME"] || Dir.home
      end

      # Nobody who says nothing is taken for a developer.
      def development?
        named = ENV.values_at("RAILS_ENV", "RACK_ENV", "APP_ENV").compact
        named.any? && (named - DEVELOPMENT).empty?
      end
    end

    # @param store [#call] opens the store to read; it is closed after each request
    # @param dir [String] folder of the segments, for the page on health
    # @param captures [#call, nil] says in which folder captures are kept; nil: there are none
    # @param orders [Boolean] whether captures may be asked for
    # @param auth [Hash, #call, :none, nil] who may see it, see docs/configuration.md
    # @param open [Boolean] whether everybody may where `auth` says nothing
    # @param hosts [Array<String>, nil] names that it may be asked by; nil for any
    # @param language [String, nil] where a browser does not ask for one of ours
    # @param answers [AnswerCache] what the pages that take seconds have computed
    def initialize(
      store:, dir:, captures: nil, orders: false, auth: nil, open: false, hosts: nil, clock: Clock.new,
      language: nil, answers: AnswerCache.new(clock: Clock.new, priority: PRIORITY)
    )
      @access = Access.new(auth: auth || (open ? :none : nil), hosts:, posts: orders ? [ORDERS] : [])
      @kept = captures
      @orders = orders
      @facts = {store:, dir:, clock:, language:, answers:}
    end

    # @return [Array] status, headers, body
    def call(env)
      env[UNMEASURED] = true
      env[Context::KEY] = Context.new(refusal: @access.call(env), captures:, ordering:, **@facts)
      yielding { App.call(env) }
    end

    private

    def captures = @captures ||= Captures.new(@kept&.call)

    def ordering
      @orders ? Capture::BackgroundRequest.new(dir: @facts[:dir], clock: @facts[:clock]) : nil
    end

    def yielding
      before = Thread.current.priority
      Thread.current.priority = PRIORITY
      yield
    ensure
      Thread.current.priority = before
    end
  end
end
