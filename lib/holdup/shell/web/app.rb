# frozen_string_literal: true

require "roda"
require "uri"

module Holdup
  class Web
    # Routes: a page under its name, its files under the name with an ending, static files under assets/. An
    # error is a page too, which says what to do.
    class App < Roda
      # Headers of every answer: no foreign content, nothing inline, no foreign frames, no cookies.
      module Headers
        POLICY = {"default-src" => "'none'", "style-src" => "'self'", "img-src" => "'self' data:",
                  "script-src" => "'self'", "connect-src" => "'self'",
                  "font-src" => "'self'", "form-action" => "'self'", "frame-ancestors" => "'self'",
                  "base-uri" => "'none'"}.freeze
        ALL = {"content-security-policy" => POLICY.map { |rule, from| "#{rule} #{from}" }.join("; "),
               "x-content-type-options" => "nosniff",
               "referrer-policy" => "same-origin", "x-frame-options" => "SAMEORIGIN",
               "cache-control" => "no-store", "vary" => "accept-language"}.freeze
      end

      include ComputedPage::ComputedAnswers
      include ErrorPages

      FILES = {"json" => "application/json; charset=utf-8", "csv" => "text/csv; charset=utf-8",
               "md" => "text/markdown; charset=utf-8"}.freeze
      ASSETS = Assets.new
      TEMPLATES = View::Html::Templates.new(File.join(__dir__, "views"))
      # Between what is sent at once and the rest.
      CUT = "<!-- main -->"
      # A header that the scripts of a page send.
      REFRESH = "HTTP_HOLDUP_REFRESH"
      # Of the query string.
      LONGEST = 8_000

      plugin :default_headers, Headers::ALL.merge("content-type" => "text/html; charset=utf-8")
      plugin :head
      plugin :not_found do
        message(404, word(:refused_nowhere))
      end
      plugin :error_handler do |error|
        failed(error)
      end

      route do |r|
        next unless env["PATH_INFO"].valid_encoding?
        r.is("assets", String) { |name| asset(name) }
        refuse(context.refusal) if context.refusal
        Features.routes.each { |routes| routes.new(self).call(r) }
        r.is("series", String) { |name| series(name) }
        r.is { shown("overview") }
        r.root { shown("overview") }
        r.is(String) { |name| moved(*name.split(".", 2)) || shown(*name.split(".", 2)) }
      end

      # @return [Context] what this request can use
      def context = env.fetch(Context::KEY)

      # @return [PageQuery]
      def query
        @query ||= PageQuery.new(params, now_s: context.clock.realtime_s)
      end

      # @return [String] in the reader's language
      def word(key, **facts) = words.call(key, **facts)

      # @return [String] the address of a page
      def address(page, parameters) = view(page, query).url(page, parameters)

      private

      def asset(name)
        found = ASSETS[name] or return
        response.headers.merge!("content-type" => found.type, "cache-control" => Assets::FOREVER)
        found.body
      end

      # Links to a page outlive its name.
      def moved(name = nil, ending = nil)
        now = Pages::FORMER[name] or return
        request.redirect(view(nil, nil, kept: params).url(now, ending:), 301)
      end

      def shown(name = nil, ending = nil)
        return streamed(name) if ending.nil? && streamed?(name)
        paged(name) do |page, store|
          next unless ending.nil? || page.exports.include?(ending)
          wait = computed(page, name, ending)
          next later(wait) if wait && ending
          ending ? file(page, name, ending) : laid_out(page, name, store, wait:)
        end
      end

      # Data of a page's charts: all in one answer, so that they come from a single read of the store.
      def series(name)
        paged(name) do |page|
          next if page.charts.empty?
          response.headers["content-type"] = FILES.fetch("json")
          page.charts.to_json
        end
      end

      def paged(name)
        found = Pages[name] or return
        store = opened
        page = found.new(context:, store:, query:, words:)
        page.span? ? store.snapshot { yield page, store } : yield(page, store)
      ensure
        store&.close
      end

      # Where scripts ask, nothing is painted until all is there, and they want the status.
      def streamed?(name)
        request.get? && !env.key?(REFRESH) && Pages[name]&.streamed?
      end

      # What needs no figures is sent, and painted, first: frame, title and span. The store has answered a
      # question before, so what is wrong with the address or the store has its status. Damaged data may be
      # found later: then the page itself says so.
      def streamed(name)
        store = opened
        stored = stored(store)
        query.filter
        page = Pages[name].new(context:, store:, query:, words:)
        view = view(name, query)
        head = render("head", locals: {view:, page:, **stored})
        first, last = lay_out(view, "#{head}#{CUT}").split(CUT, 2)
        rest = lambda do
          part = with_errors { store.snapshot { found(view, page, page.blocks, page.offered) } }
          "#{part}#{last}"
        end
        response.headers["x-accel-buffering"] = "no" # nginx would wait for the rest
        body = StreamedPage.new(first, close: store.method(:close), socket: env["puma.socket"], &rest)
        request.halt(response.finish_with_body(body))
      rescue
        store&.close
        raise
      end

      def with_errors
        @begun = true
        yield
      rescue => error
        failed(error)
      end

      def found(view, page, blocks, offered) = render("found", locals: {view:, page:, blocks:, offered:})

      # A waiting page reloads by itself, with scripts or without.
      def laid_out(page, name, store, wait: nil)
        view = view(name, query, title: page.title, again_s: wait&.again_s, computed_s: @computed_s)
        response.status = wait.status if wait
        return "" if request.head?
        blocks = wait ? [ProgressText.new(wait, page: name, words:).block] : page.blocks
        stored = page.span? ? stored(store) : {behind: nil, newest: nil, origins: {}, hosts: nil}
        offered = wait ? [] : page.offered
        head = render("head", locals: {view:, page:, **stored})
        lay_out(view, "#{head}#{found(view, page, blocks, offered)}")
      end

      def opened = Queries::RequestCache.new(context.store.call, origin: query.origin)

      def stored(store)
        origins = Queries::Origin::FACTS.to_h { |part| [part.name, store.names(part)] }
        {behind: behind(store), newest: newest(store), origins:, hosts: hosts(store)}
      end

      # @return [Integer] hosts whose figures the page adds up
      def hosts(store)
        lately = store.collector_checkpoints.select { |one| one.at_ns / NS >= query.from_s }
        lately.map(&:host).uniq.size
      end

      def file(page, name, ending)
        disposition = %(attachment; filename="holdup-#{name}.#{ending}")
        response.headers.merge!("content-type" => FILES.fetch(ending), "content-disposition" => disposition)
        request.head? ? "" : page.export(ending, page.title || word(:"title_#{name}"))
      end

      # If the collector is dead, figures of "now" are old: a line above them says since when.
      def behind(store)
        return unless query.live?
        view(nil, query).behind(store.extent.last, context.clock.realtime_s)
      end

      # The age of the newest figures, and the data the collector has not read yet.
      def newest(store)
        return unless query.live?
        at_ns = store.collector_checkpoints.map(&:at_ns).max
        look = Queries::UncollectedUnits.new(dir: context.dir, origin: query.origin).look(store,
          named: true)
        view(nil, query).newest(at_ns, look, context.clock.realtime_ns)
      end

      def render(...) = TEMPLATES.render(...)

      # Where frame and title were sent before, only what follows them.
      def lay_out(view, body)
        return body if @begun
        render("layout", locals: {view:, body:})
      end

      def view(name, query, **more)
        TemplateHelpers.new(request:, words:, query:, name:, theme: Theme.of(asked_for("theme")),
          troubles: context.troubles, **more)
      end

      # Flat and without repeated names: nothing here is nested.
      def params
        text = env["QUERY_STRING"].to_s
        raise View::InputError.new(:address_too_long, :shorten) if text.bytesize > LONGEST
        @params ||= URI.decode_www_form(text).to_h
      rescue ArgumentError
        raise View::InputError.new(:address_damaged)
      end

      def words
        @words ||= View::Words.new(Language.of(asked_for("lang"), env["HTTP_ACCEPT_LANGUAGE"],
          context.language), page: true)
      end

      # Works even if the address as a whole is invalid.
      def asked_for(word)
        env["QUERY_STRING"].to_s.b[/(?:\A|&)#{word}=([\w-]+)/, 1]
      end

      # A page's colours: the browser's preference, or the theme in its address. The dark ones are a separate
      # style sheet, so its `media` alone decides and nothing is written twice. Paper is always light.
      module Theme
        KNOWN = %w[auto light dark].freeze
        # When the dark style sheet applies; without an entry, never.
        MEDIA = {"auto" => View::Html::DARK_MEDIA, "dark" => "screen"}.freeze
        # For parts that the browser draws itself, such as scroll bars.
        SCHEMES = {"auto" => "light dark", "light" => "light", "dark" => "dark"}.freeze

        # @param asked [String, nil] in the address
        # @return [String] one of KNOWN
        def self.of(asked)
          KNOWN.find { |theme| theme == asked } || KNOWN.first
        end
      end

      # Which language a browser gets.
      module Language
        TAG = /[a-zA-Z]{1,8}(?:-[a-zA-Z0-9-]*)?/
        PART = /\A\s*(#{TAG})(?:\s*;\s*q=([01](?:\.\d{1,3})?))?\s*\z/

        module_function

        # @param asked [String, nil] in the address
        # @param header [String, nil] Accept-Language
        # @return [String] a language of View::Words
        def of(asked, header, default = nil)
          return asked if View::Words::LANGUAGES.key?(asked)
          accepted(header) || default || View::Words::DEFAULT
        end

        def accepted(header)
          wishes = header.to_s.b[0, 200].split(",").filter_map { |part| PART.match(part)&.captures }
          known = wishes.map { |tag, weight| [View::LocaleFiles.language_of(tag), (weight || 1).to_f] }
          known.select { |language, weight| language && weight.positive? }.max_by(&:last)&.first
        end
        private_class_method :accepted
      end
    end
  end
end
