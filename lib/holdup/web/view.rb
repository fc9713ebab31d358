# frozen_string_literal: true

require "cgi/escape"
require_relative "../reports/figures"
require_relative "../reports/moments"
require_relative "../reports/width"
require_relative "../version"
require_relative "language"
require_relative "pages"
require_relative "query"
require_relative "theme"

module Holdup
  class Web
    # What templates need to know: words, and addresses under whatever path the dashboard is mounted at.
    class View
      # A proxy's prefix, as a path of this host and nothing else.
      PREFIX = %r{\A(?:/[\w.~-]+)+\z}
      # A collector carries every ten seconds to a minute; after so long something is wrong.
      BEHIND_S = 300
      NS = 1_000_000_000
      NAME = 200
      # Where a name may wrap: between its parts, and between the words of one part.
      PARTS = %r{(?=#|::)|(?<=/)(?=[a-zA-Z:_])|(?<=[a-z]{3})(?=[A-Z][a-z])}
      # A word of a sentence that may be wider than a phone.
      LONG_WORD = %r{([\w:#/.-]{20,})}
      CODE = /(`[^`]+`)/
      # A number and its unit stay on one line.
      UNIT_SPACE = /(?<=\d) (?=(?:%|[num]?s|min|h|d|B|[kMG]B|件|回|秒|分|時間|日)(?![a-zA-Z]))/
      NO_BREAK = "\u00A0"

      # @return [String, nil] the page's
      attr_reader :name
      attr_reader :query
      # @return [String] one of Theme::KNOWN
      attr_reader :theme
      # @return [Integer, nil] seconds after which the page asks again by itself
      attr_reader :again_s

      # @param request [Roda::RodaRequest]
      # @param words [Words]
      # @param query [Query, nil] nil where it can't be read
      # @param name [String, nil]
      # @param theme [String] one of Theme::KNOWN
      # @param kept [Hash{String => String}] what links have
      # @param title [String, nil] another than the menu's
      # @param again_s [Integer, nil]
      # @param computed_s [Integer, nil] when what the page shows was computed, of pages that are kept
      def initialize(request:, words:, query:, name:, theme: Theme::KNOWN.first, kept: query ? query.kept : {}, title: nil,
        again_s: nil, computed_s: nil)
        @request = request
        @words = words
        @query = query
        @name = name
        @theme = theme
        @kept = kept
        @title = title
        @again_s = again_s
        @computed_s = computed_s
      end

      def word(key, **facts) = @words.call(key, **facts)

      def language = @words.language

      # @param page [String]
      # @param params [Hash{String => String}] over what goes from page to page
      # @param ending [String, nil] of a file
      # @return [String]
      def url(page, params = {}, ending: nil)
        asked = {**@kept, **params}.compact
        path = (page == Pages::ALL.keys.first && !ending) ? "/" : "/#{page}#{".#{ending}" if ending}"
        asked.empty? ? "#{base}#{path}" : "#{base}#{path}?#{URI.encode_www_form(asked)}"
      end

      # @return [String] this page with other words in its address
      def here(params) = url(@name || "overview", {**(@query ? @query.all : {}), **params})

      # @param ending [String]
      # @return [String] this page as a file: of what is kept, that which the page shows
      def export(ending) = url(@name, {**@query.all, "computed" => @computed_s&.to_s}, ending:)

      # @param chart [String] of this page
      # @return [String] where its series are
      def series(chart) = "#{url("series/#{@name}", @query.all)}##{chart}"

      def asset(file) = "#{base}/assets/#{App::ASSETS.name(file)}"

      def title = @title || word(:"title_#{@name || "message"}")

      # @return [String, nil] since when there is nothing new
      def behind(newest_s, now_s)
        return unless newest_s && now_s - newest_s > BEHIND_S
        word(:behind, time: Reports::Moments.at(newest_s, "%F %T"), ago: Reports::Figures.rough((now_s - newest_s) * NS))
      end

      # @param at_ns [Integer, nil] when the collector read what is stored
      # @param look [Doctor::Uncollected::Look, nil] what is not
      # @param now_ns [Integer]
      # @return [String, nil]
      def newest(at_ns, look, now_ns)
        return unless at_ns
        age = Reports::Figures.duration([now_ns - at_ns, 0].max)
        return word(:newest, age:) unless look&.units.to_i.positive?
        word(:newest_waiting, age:, count: Reports::Figures.count(look.units))
      end

      # @param asks [Array<String>] what one may choose on this page
      # @param apps [Array<String>] applications to choose from
      # @return [Array<String>] what was chosen beside one of the usual spans
      def chosen(asks, apps)
        span = [query.since, query["until"]] if query["until"]
        span ||= [query.since] unless Query::SPANS.key?(query.since)
        kind = query.kind && word(:"kind_#{query.kind}") if asks.include?("kind")
        least = query["least"] && "≥ #{query.least}" if asks.include?("least")
        name = query["name"] if asks.include?("name")
        app = query["app"] if apps.size > 1
        [span&.join(" - "), app, name, kind, least].compact.map { |text| Reports::Width.clean(text) }
      end

      # @param text [String]
      # @return [String] no longer than a name that is recorded
      def cut(text) = Reports::Width.truncate(text, NAME)

      # @param text [String]
      # @return [String] HTML: a name that may wrap between its parts
      def breaking(text) = wrapping(cut(text))

      # @param text [String]
      # @return [String] HTML: a sentence with its code, whose moments a script tells in the viewer's zone
      def told(text)
        parts = text.split(CODE)
        parts.map { |part| CODE.match?(part) ? "<code>#{wrapping(part[1..-2])}</code>" : plain(part) }.join
      end

      # @return [String] "12.3%" for SVG
      def percent(share) = "#{(share * 100).round(3)}%"

      # @param bar [Blocks::Bar]
      # @return [Array<Array(Symbol, String, String)>] state, where it begins, how wide it is
      def stretches(bar)
        at = 0.0
        bar.parts.filter_map do |state, share|
          at += share
          [state, percent(at - share), percent(share)] if share.positive?
        end
      end

      private

      def wrapping(text) = text.split(PARTS).map { |part| CGI.escapeHTML(part) }.join("<wbr>")

      def plain(text)
        escaped = text.split(LONG_WORD).map { |part| LONG_WORD.match?(part) ? wrapping(part) : CGI.escapeHTML(part) }
        timed = escaped.join.gsub(Reports::Moments::TOLD) do |found|
          from, to, zone = $~.captures
          to ? "#{time(from, zone)} - #{time(to, zone, "#{to} #{zone}")}" : time(from, zone, found)
        end
        timed.gsub(UNIT_SPACE, NO_BREAK)
      end

      def time(moment, zone, text = moment)
        exact = Reports::Moments.read(moment, zone) or return text
        %(<time datetime="#{exact.utc.strftime("%FT%TZ")}"#{" data-seconds" if moment.count(":") > 1}>#{text}</time>)
      end

      def base
        @base ||= begin
          prefix = @request.env["HTTP_X_FORWARDED_PREFIX"].to_s.b.delete_suffix("/")
          own = @request.script_name.to_s.delete_suffix("/")
          (PREFIX.match?(prefix) && !own.start_with?(prefix)) ? prefix + own : own
        end
      end
    end
  end
end
