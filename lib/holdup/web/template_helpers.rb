# frozen_string_literal: true

module Holdup
  class Web
    # What templates of the dashboard need besides: addresses under whatever path it is mounted at.
    class TemplateHelpers < View::Html::Helpers
      # A proxy's prefix, as a path of this host and nothing else.
      PREFIX = %r{\A(?:/[\w.~-]+)+\z}
      # A collector carries every ten seconds to a minute; after so long something is wrong.
      BEHIND_S = 300
      NS = 1_000_000_000

      # @return [String, nil] the page's
      attr_reader :name
      attr_reader :query
      # @return [String] one of Theme::KNOWN
      attr_reader :theme
      # @return [Integer, nil] seconds after which the page asks again by itself
      attr_reader :again_s

      # @param request [Roda::RodaRequest]
      # @param words [View::Words]
      # @param query [PageQuery, nil] nil where it can't be read
      # @param name [String, nil]
      # @param theme [String] one of Theme::KNOWN
      # @param kept [Hash{String => String}] what links have
      # @param title [String, nil] another than the menu's
      # @param again_s [Integer, nil]
      # @param computed_s [Integer, nil] when what the page shows was computed, of pages that are kept
      def initialize(request:, words:, query:, name:, theme: Theme::KNOWN.first,
        kept: query ? query.kept : {},
        title: nil, again_s: nil, computed_s: nil)
        super(words:, title:)
        @request = request
        @query = query
        @name = name
        @theme = theme
        @kept = kept
        @again_s = again_s
        @computed_s = computed_s
      end

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
      def here(params)
        url(@name || "overview", {**(@query ? @query.all : {}), **params})
      end

      # @param ending [String]
      # @return [String] this page as a file: of what is kept, that which the page shows
      def export(ending)
        url(@name, {**@query.all, "computed" => @computed_s&.to_s}, ending:)
      end

      # @param chart [String] of this page
      # @return [String] where its series are
      def series(chart)
        "#{url("series/#{@name}", @query.all)}##{chart}"
      end

      def asset(file)
        "#{base}/assets/#{App::ASSETS.name(file)}"
      end

      def title
        @title || word(:"title_#{@name || "message"}")
      end

      # @return [String, nil] since when there is nothing new
      def behind(newest_s, now_s)
        return unless newest_s && now_s - newest_s > BEHIND_S
        ago = View::Figures.rough((now_s - newest_s) * NS)
        word(:behind, time: View::Moments.at(newest_s, "%F %T"), ago:)
      end

      # @param at_ns [Integer, nil] when the collector read what is stored
      # @param look [Doctor::UncollectedUnits::Uncollected, nil] what is not
      # @param now_ns [Integer]
      # @return [String, nil]
      def newest(at_ns, look, now_ns)
        return unless at_ns
        age = View::Figures.duration([now_ns - at_ns, 0].max)
        return word(:newest, age:) unless look&.units.to_i.positive?
        word(:newest_waiting, age:, count: View::Figures.count(look.units))
      end

      # @param asks [Array<String>] what one may choose on this page
      # @param apps [Array<String>] applications to choose from
      # @return [Array<String>] what was chosen beside one of the usual spans
      def chosen(asks, apps)
        span = [query.since, query["until"]] if query["until"]
        span ||= [query.since] unless PageQuery::SPANS.key?(query.since)
        kind = query.kind && word(:"kind_#{query.kind}") if asks.include?("kind")
        least = query["least"] && "≥ #{query.least}" if asks.include?("least")
        name = query["name"] if asks.include?("name")
        app = query["app"] if apps.size > 1
        [span&.join(" - "), app, name, kind, least].compact.map { |text| View::Width.clean(text) }
      end

      private

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
