# frozen_string_literal: true

require "roda"
require "uri"
require_relative "../doctor/uncollected"
require_relative "../errors"
require_relative "assets"
require_relative "captures"
require_relative "captures/routes"
require_relative "context"
require_relative "headers"
require_relative "language"
require_relative "pages"
require_relative "query"
require_relative "remembered"
require_relative "theme"
require_relative "view"
require_relative "words"

module Holdup
  class Web
    # Routes: a page under its name, its files under the name with an ending, what pages refer to under assets/. What can't
    # be answered is a page too, that says what to do.
    class App < Roda
      include Captures::Routes

      FILES = {"json" => "application/json; charset=utf-8", "csv" => "text/csv; charset=utf-8", "md" => "text/markdown; charset=utf-8"}.freeze
      ASSETS = Assets.new
      # Of what stands behind the question mark.
      LONGEST = 8_000

      plugin :default_headers, Headers::ALL.merge("content-type" => "text/html; charset=utf-8")
      plugin :head
      plugin :render, views: File.join(__dir__, "views"), engine: "erb", escape: true, cache: true, check_template_mtime: false
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
        next later(context.deferred) if context.deferred
        r.post("captures") { order }
        r.is("series", String) { |name| series(name) }
        r.is("captures", String, String) { |id, format| captured(id, format) }
        r.is { shown("overview") }
        r.root { shown("overview") }
        r.is(String) { |name| shown(*name.split(".", 2)) }
      end

      private

      def context = env.fetch(Context::KEY)

      # The page that asks again by itself, with scripts or without.
      def later(answer)
        response.headers["refresh"] = answer.again_s.to_s
        message(answer.status, word(answer.key, **answer.facts))
      end

      def asset(name)
        found = ASSETS[name] or return
        response.headers.merge!("content-type" => found.type, "cache-control" => Assets::FOREVER)
        found.body
      end

      def shown(name = nil, ending = nil) = paged(name) { |page, store| ending ? file(page, name, ending) : laid_out(page, name, store) }

      # What the charts of a page are drawn from: all in one answer, because they come from one look into the store.
      def series(name)
        paged(name) do |page|
          next if page.charts.empty?
          response.headers["content-type"] = FILES.fetch("json")
          page.charts.to_json
        end
      end

      def paged(name)
        found = Pages::ALL[name] or return
        store = Remembered.new(context.store.call, app: query["app"])
        yield found.new(context:, store:, query:, words:), store
      ensure
        store&.close
      end

      def laid_out(page, name, store)
        view = view(name, query, title: page.title)
        recorded = page.span? ? {behind: behind(store), newest: newest(store), apps: store.applications} : {behind: nil, newest: nil, apps: []}
        lay_out(view, render("page", locals: {view:, page:, blocks: page.blocks, **recorded}))
      end

      def file(page, name, ending)
        return unless page.exports.include?(ending)
        response.headers.merge!("content-type" => FILES.fetch(ending), "content-disposition" => %(attachment; filename="holdup-#{name}.#{ending}"))
        page.export(ending, page.title || word(:"title_#{name}"))
      end

      # Where the collector is dead, figures of "now" are old: since when is said above them.
      def behind(store) = query.live? ? view(nil, query).behind(store.health[:newest_s], context.clock.realtime_s) : nil

      # How old the newest figures are, and what waits for the collector.
      def newest(store)
        return unless query.live?
        at_ns = store.collection_states.map(&:at_ns).max
        look = Doctor::Uncollected.new(dir: context.dir, app: query["app"]).look(store, named: true)
        view(nil, query).newest(at_ns, look, context.clock.realtime_ns)
      end

      def refuse(refusal)
        response.headers.merge!(refusal.headers)
        response.write(message(refusal.status, word(refusal.key)))
        request.halt
      end

      # `detail`: what an error says, in English as everywhere.
      def message(status, text, detail = nil)
        response.status = status
        lay_out(view(nil, nil, kept: chosen), render("message", locals: {status:, text:, detail:}))
      end

      def lay_out(view, body) = render("layout", locals: {view:, body:})

      def failed(error)
        case error
        when UsageError then message(400, word(:refused_question), error.message)
        when StoreError then message(503, word(:store_trouble), error.message)
        when Error then message(503, word(:refused_now), error.message)
        else
          env["rack.errors"]&.puts("holdup: #{error.full_message(highlight: false)}")
          message(500, word(:refused_failure, error: error.class))
        end
      end

      def view(name, query, **more) = View.new(request:, words:, query:, name:, theme: Theme.of(asked("theme")), **more)

      def query = @query ||= Query.new(params, now_s: context.clock.realtime_s)

      # Flat, and each once: nothing here is nested.
      def params
        text = env["QUERY_STRING"].to_s
        raise UsageError.new("the address is too long", "shorten it") if text.bytesize > LONGEST
        @params ||= URI.decode_www_form(text).to_h
      rescue ArgumentError
        raise UsageError.new("the address is damaged", "its part behind the question mark can't be read")
      end

      def words = @words ||= Words.new(Language.of(asked("lang"), env["HTTP_ACCEPT_LANGUAGE"], context.language))

      # Also of an address that can't be read as a whole.
      def asked(word) = env["QUERY_STRING"].to_s.b[/(?:\A|&)#{word}=(\w+)/, 1]

      # What a page that says why there is nothing to see goes on with.
      def chosen = {"lang" => asked("lang"), "theme" => asked("theme")}.compact

      def word(key, **facts) = words.call(key, **facts)
    end
  end
end
