# frozen_string_literal: true

require "delegate"
require "digest"

module Holdup
  # Defined before its parts, which would otherwise autoload the constant.
  class Web
  end
end

module Holdup
  # The dashboard, a Rack application:
  #
  #   mount Holdup::Web => "/holdup"     # config/routes.rb
  #   run Holdup::Web                    # config.ru
  #
  # It only reads the store. Its first request loads what it needs (Roda, the store's library, the analysis),
  # so mounting it does not slow the application's boot. Its own requests are not measured.
  class Web
    UNMEASURED = "holdup.unmeasured"
    DEVELOPMENT = %w[development test].freeze
    # Requests here compute for long, so they give the GVL back after an eighth of the usual time slice.
    PRIORITY = -3
    ORDERS = "/captures"

    # Dependencies of a dashboard request. `store` opens the store; `captures`: the stored ones; `ordering`:
    # takes orders for captures, nil if disabled; `refusal`: why the request is not answered, usually nil;
    # `computations`: of the pages that take seconds; `slo` and `prices`: of the page of advice, nil: none;
    # `troubles`: gives how many checks of this host fail or warn, nil where nobody counts them.
    Context = Data.define(
      :store, :dir, :captures, :ordering, :clock, :language, :refusal, :computations, :slo, :prices,
      :troubles
    )
    # Its key in the Rack environment.
    Context::KEY = "holdup.web"

    class << self
      # Answers with the application's configuration.
      def call(env)
        mounted(configuration, development?).call(env)
      end

      # @param settings [Configuration]
      # @return [Hash{Symbol => Object}] what advice is to keep, and what it may cost, for `new`
      def goal(settings) = Features.part(:dashboard_goal)&.of(settings).to_h

      # @return [#call, nil] how many checks of this host fail or warn, for `new`
      def troubles(store:, dir:, clock: Clock.new)
        Features.part(:troubles)&.new(store:, dir:, clock:, priority: PRIORITY)
      end

      # Runs the block, which computes for long, with a short time slice.
      # @return [Object] the block's value
      def yielding
        before = Thread.current.priority
        Thread.current.priority = PRIORITY
        yield
      ensure
        Thread.current.priority = before
      end

      private

      # Kept until the configuration changes, because it knows the computations under way.
      def mounted(settings, open)
        return @mounted if settings.equal?(@settings) && open == @open
        @settings = settings
        @open = open
        @mounted = new(**facts(settings, open))
      end

      def facts(settings, open)
        store = StorePool.new { settings.store || Store.default_url(ENV) }
        dir = settings.segment_dir
        {
          store:,
          dir:,
          troubles: troubles(store:, dir:),
          captures: -> { captures_dir(settings) },
          orders: settings.web_capture,
          auth: settings.web_auth,
          open:,
          **goal(settings)
        }
      end

      def configuration
        Holdup.respond_to?(:configuration) ? Holdup.configuration : Configuration.build(env: ENV)
      end

      def captures_dir(settings)
        Store.captures_dir(settings.store || Store.default_url(ENV), ENV)
      end

      # An environment that is not set does not count as development.
      def development?
        named = ENV.values_at("RAILS_ENV", "RACK_ENV", "APP_ENV").compact
        named.any? && (named - DEVELOPMENT).empty?
      end
    end

    # @param store [#call] opens the store for reading, as StorePool; closed after each request
    # @param captures [#call, nil] gives the folder of the captures; nil: none are kept
    # @param orders [Boolean] whether captures may be asked for
    # @param auth [Hash, #call, :none, nil] who may see it, see docs/guide/configuration.md
    # @param open [Boolean] whether everyone has access when `auth` is nil
    # @param hosts [Array<String>, nil] accepted host names; nil for any
    # @param language [String, nil] used when the browser asks for none that we have
    # @param slo [Object, nil] promise to requests, for the page of advice
    # @param prices [Object, nil] of fleets; nil: the page of advice compares none
    # @param troubles [#call, nil] gives how many checks of this host fail or warn
    # @param computations [Computations] of the pages that take seconds
    def initialize(
      store:, dir:, captures: nil, orders: false, auth: nil, open: false, hosts: nil, clock: Clock.new,
      language: nil, slo: nil, prices: nil, troubles: nil,
      computations: Computations.new(clock: Clock.new, priority: PRIORITY)
    )
      @access = Access.new(auth: auth || (open ? :none : nil), hosts:, posts: orders ? [ORDERS] : [])
      @kept = captures
      @orders = orders
      @facts = {store:, dir:, clock:, language:, computations:, slo:, prices:, troubles:}
    end

    def call(env)
      env[UNMEASURED] = true
      env[Context::KEY] = Context.new(refusal: @access.call(env), captures:, ordering:, **@facts)
      self.class.yielding { App.call(env) }.tap { |_, headers, _| drop_second_type(headers) }
    end

    private

    def captures = @captures ||= Features.part(:kept_captures)&.new(@kept&.call)

    def ordering
      @orders ? Capture::BackgroundRequest.new(dir: @facts[:dir], clock: @facts[:clock]) : nil
    end

    # With Rack 2, whose headers are a plain Hash, Roda adds its own type in another spelling.
    def drop_second_type(headers)
      headers.delete("Content-Type") if headers.instance_of?(Hash) && headers.key?("content-type")
    end
  end

  class Web
    # Opens the store for a page. A store in a file stays open for the next page: the gem sqlite3 2.x keeps an
    # object for each connection until the process forks, so a dashboard that somebody watches would grow.
    # Connections to a server would take room there, and end unnoticed: those are closed.
    class StorePool
      # Pages that are read at the same time.
      MOST = 4

      # @yieldreturn [String] URL of the store
      def initialize(&url)
        @url = url
        @lock = Mutex.new
        @idle = []
      end

      # @return [Store::Sql, Store::Clickhouse, PooledStore] for one thread, which closes it
      # @raise [StoreError]
      def call
        url = @url.call
        return Store.open(url, read_only: true) unless Store.file?(url)
        take(url) || PooledStore.new(Store.open(url, read_only: true), url, self)
      end

      # @return [Boolean] whether it keeps it
      def keep(store)
        @lock.synchronize { own.size < MOST && !!own.push(store) }
      end

      private

      def take(url)
        @lock.synchronize do
          index = own.index { |store| store.url == url }
          index && own.delete_at(index)
        end
      end

      # Without the connections of the process that this one was forked from: both would read through them.
      def own
        @idle = [] unless @pid == Process.pid
        @pid = Process.pid
        @idle
      end
    end

    # A store that returns to its pool instead of being closed.
    class StorePool::PooledStore < SimpleDelegator
      attr_reader :url

      def initialize(store, url, pool)
        super(store)
        @url = url
        @pool = pool
      end

      def close
        super unless @pool.keep(self)
      end
    end
  end

  class Web
    # Who may see the dashboard: names of endpoints and hosts are confidential.
    class Access
      # `key` names the sentence; `headers` go with the answer.
      Refusal = Data.define(:status, :key, :headers) do
        def initialize(status:, key:, headers: {}) = super
      end

      READING = %w[GET HEAD].freeze
      OWN_SITE = %w[same-origin none].freeze
      CHALLENGE = {"www-authenticate" => 'Basic realm="Holdup", charset="UTF-8"'}.freeze

      # @param auth [Hash{Symbol => String}, #call, :none, nil] nil refuses everyone
      # @param hosts [Array<String>, nil] accepted host names: another name that resolves to loopback belongs
      #   to a foreign page (DNS rebinding)
      # @param posts [Array<String>] paths that accept POST
      def initialize(auth:, hosts: nil, posts: [])
        @auth = auth
        @hosts = hosts
        @posts = posts
      end

      # @param env [Hash] the Rack environment
      # @return [Refusal, nil] nil: access is granted
      def call(env)
        return Refusal.new(status: 403, key: :refused_host) unless host?(env["HTTP_HOST"])
        person(env) || method(env)
      end

      private

      def host?(host)
        @hosts.nil? || @hosts.include?(host.to_s.b.sub(/:\d+\z/, "").downcase)
      end

      def person(env)
        case @auth
        when :none then nil
        when nil then Refusal.new(status: 403, key: :refused_closed)
        when Hash then credentials?(env["HTTP_AUTHORIZATION"]) ? nil : Refusal.new(status: 401,
          key: :refused_credentials, headers: CHALLENGE)
        else @auth.call(env) ? nil : Refusal.new(status: 403, key: :refused_person)
        end
      end

      # Few requests change anything; those from another site are refused.
      def method(env)
        return if READING.include?(env["REQUEST_METHOD"])
        return Refusal.new(status: 403, key: :refused_site) unless own_site?(env)
        return if env["REQUEST_METHOD"] == "POST" && @posts.include?(env["PATH_INFO"])
        Refusal.new(status: 405, key: :refused_method, headers: {"allow" => READING.join(", ")})
      end

      # Without TLS browsers only send the form's origin; programs send neither header.
      def own_site?(env)
        site, origin = env.values_at("HTTP_SEC_FETCH_SITE", "HTTP_ORIGIN")
        return OWN_SITE.include?(site) if site
        origin.nil? || origin.b.sub(%r{\Ahttps?://}, "") == env["HTTP_HOST"].to_s.b
      end

      # Always compares both, as digests of one length: the duration reveals nothing.
      def credentials?(authorization)
        scheme, encoded = authorization.to_s.b.split(" ", 2)
        return false unless scheme&.casecmp?("basic") && encoded
        username, password = encoded.unpack1("m").split(":", 2)
        [same?(username, @auth[:username]), same?(password, @auth[:password])].all?
      end

      def same?(given, wanted)
        given, wanted = [given.to_s, wanted].map { |text| Digest::SHA256.digest(text) }
        given.bytes.zip(wanted.bytes).sum { |one, other| one ^ other }.zero?
      end
    end
  end
end
