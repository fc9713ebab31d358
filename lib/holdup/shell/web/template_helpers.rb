# frozen_string_literal: true

module Holdup
  class Web
    # Additional helpers for templates of the dashboard: addresses under the path it is mounted at.
    class TemplateHelpers < View::Html::Helpers
      # A proxy's prefix: a path of this host and nothing else.
      PREFIX = %r{\A(?:/[\w.~-]+)+\z}
      # A collector stores data every ten seconds to a minute; a longer gap means a problem.
      BEHIND_S = 300

      # Parameters of one name, which the requests of a moment are limited to.
      MOMENT = %w[unit in].freeze

      attr_reader :name
      attr_reader :query
      # @return [String] one of App::Theme::KNOWN
      attr_reader :theme
      # @return [Integer, nil] seconds after which the page reloads by itself
      attr_reader :again_s

      # @param query [PageQuery, nil] nil if it is invalid
      # @param theme [String] one of App::Theme::KNOWN
      # @param kept [Hash{String => String}] parameters of links
      # @param title [String, nil] if other than the menu's
      # @param troubles [#call, nil] gives how many checks of this host fail or warn
      # @param computed_s [Integer, nil] when the page's contents were computed, for cached pages
      def initialize(request:, words:, query:, name:, theme: App::Theme::KNOWN.first,
        kept: query ? query.kept : {},
        title: nil, again_s: nil, computed_s: nil, troubles: nil)
        super(words:, title:)
        @troubles = troubles
        @request = request
        @query = query
        @name = name
        @theme = theme
        @kept = kept
        @again_s = again_s
        @computed_s = computed_s
      end

      # @return [Integer, nil] to show beside the entry of the menu; nil: nothing fails or warns, as far as is
      #   known
      def troubles_of(section)
        return unless section == :health
        @troubles&.call&.nonzero?
      end

      # @return [Symbol, nil] the entry of the menu that this page belongs to
      def section = Pages.section_of(name)

      # @return [Array<String>] the pages of that entry, if there are several
      def neighbours
        names = Pages::MENU.fetch(section, [])
        (names.size > 1) ? names : []
      end

      # @param params [Hash{String => String}] in addition to those that links keep
      # @param ending [String, nil] of a file
      def url(page, params = {}, ending: nil)
        asked = {**@kept, **params}.compact
        path = (page == Pages::START && !ending) ? "/" : "/#{page}#{".#{ending}" if ending}"
        asked.empty? ? "#{base}#{path}" : "#{base}#{path}?#{URI.encode_www_form(asked)}"
      end

      # @return [String] this page with other parameters
      def here(params)
        url(@name || "overview", {**(@query ? @query.all : {}), **params})
      end

      # @param span [String] a key of PageQuery::SPANS
      # @return [String] this page with a span that ends now
      def last(span)
        here("since" => span, "until" => nil)
      end

      # @return [String] a page's address without parameters: those of a form are its fields
      def form_target(page)
        url(page).split("?").first
      end

      # @return [String] this page with the span that it shows now, whenever it is opened
      def pinned
        since, till = [@query.from_s, @query.until_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        here("since" => since, "until" => till)
      end

      # @return [String] pinned, with the host that this request came to
      def sent_address = "#{@request.base_url}#{pinned}"

      # @return [String] this page as a file: for a cached page, of the answer it shows
      def export(ending)
        url(@name, {**@query.all, "computed" => @computed_s&.to_s}, ending:)
      end

      # @param chart [String] of this page
      # @return [String] address of its series
      def series(chart)
        "#{url("series/#{@name}", @query.all)}##{chart}"
      end

      # Where the points of a chart over time lead to: the requests of a point, this page with a part of its
      # span, the pages of marks. A script adds the span.
      # @return [String] HTML
      def travel_attributes
        return unless @query
        pages = Features.marks.map { |listed| listed.entry.page }
        attributes(
          "data-moment": url("slowest", @query.all.slice(*MOMENT)),
          "data-part": here({}),
          **pages.to_h { |page| [:"data-#{page}", url(page)] }
        )
      end

      def asset(file)
        "#{base}/assets/#{App::ASSETS.name(file)}"
      end

      # @return [String] for parts that the browser draws itself, such as scroll bars
      def color_scheme
        App::Theme::SCHEMES.fetch(theme)
      end

      # @return [String, nil] when the dark colours apply; nil: never
      def dark_media
        App::Theme::MEDIA[theme]
      end

      # @return [Array<String>] those that the page is not in
      def other_languages
        View::Words::LANGUAGES.keys - [language]
      end

      # @return [String] what it calls itself
      def language_name(other) = View::Words.name_of(other)

      # @param other [String] language of a part of the page
      # @return [String, nil] nil if it is the page's
      def foreign(other)
        other unless other == language
      end

      def title
        @title || word(:"title_#{@name || "message"}")
      end

      # @return [String, nil] since when there is nothing new
      def behind(newest_s, now_s)
        return unless newest_s && now_s - newest_s > BEHIND_S
        ago = View::Figures.rough((now_s - newest_s) * NS)
        word(:behind, time: View::Figures::Moments.at(newest_s, "%F %T"), ago:)
      end

      # @param at_ns [Integer, nil] when the collector read the stored data
      # @param look [Queries::UncollectedUnits::Uncollected, nil] data that is not stored yet
      def newest(at_ns, look, now_ns)
        return unless at_ns
        newest = age(now_ns - at_ns)
        return newest unless look&.units.to_i.positive?
        word(:newest_waiting, newest:, count: View::Figures.count(look.units))
      end

      # @return [String] HTML: a sentence in which the names of pages are links to them
      def sentence(text)
        super.gsub(page_names) do |named|
          address = CGI.escapeHTML(url(pages_by_name[named]))
          %(<a href="#{address}">#{named}</a>)
        end
      end

      # @param asks [Array<String>] parameters the reader can choose on this page
      # @param origins [Hash{String => Array<String>}] names to choose from
      # @param hosts [Integer, nil] whose figures the page adds up
      # @return [Array<String>] what was chosen in addition to one of the usual spans, and of how many hosts
      #   the page is
      def chosen(asks, origins, hosts = nil)
        span = @words.span(query.since, query["until"]) if query["until"]
        span ||= since unless PageQuery::SPANS.key?(query.since)
        kind = query.kind && word(:"kind_#{query.kind}") if asks.include?("kind")
        least = query["least"] && "≥ #{query.least}" if asks.include?("least")
        name = query["name"] if asks.include?("name")
        from = choices(origins).keys.map { |part| query[part] }
        scope = word(:span_hosts, count: View::Figures.count(hosts)) if hosts.to_i > 1
        [span, *from, query["host"], scope, name, kind, least].compact
          .map { |text| View::Width.clean(text) }
      end

      # @return [Hash{String => String}] parameters that the form of the span keeps and has no field for
      def fieldless(asks, origins)
        query.all.except("since", "until", "host", *choices(origins).keys, *asks)
      end

      # @yieldparam name [String]
      # @yieldreturn [String] what the reader calls it
      # @return [Hash{String => String}] what a list offers: any, and each of the names
      def options(names)
        {"" => word(:any), **names.to_h { |name| [name, yield(name)] }}
      end

      # @param slider [Pages::Controls::Slider, nil] of a form's field
      # @return [String, nil] HTML
      def slider_attributes(slider)
        return unless slider
        attributes(
          "data-min": slider.range.begin,
          "data-max": slider.range.end,
          "data-unit": slider.unit,
          "data-group": slider.group
        )
      end

      # @return [Hash{String => Array<String>}] those with more than one name, or with a choice
      def choices(origins)
        all = origins.to_h { |part, names| [part, names | [query[part]].compact] }
        all.select { |part, names| names.size > 1 || query[part] }
      end

      private

      # @return [String] "6m" as the language writes it
      def since
        number, unit = query.since.match(/\A(\d+)([smhd])\z/)&.captures
        number ? word(:"span_of_#{unit}", number:) : query.since
      end

      # @return [Hash{String => String}] pages by what sentences call them: "the Compare page"
      def pages_by_name
        @pages_by_name ||= Pages::LISTED.to_h do |page|
          [word(:page_link, title: word(:"title_#{page}")), page]
        end
      end

      def page_names = @page_names ||= Regexp.union(pages_by_name.keys)

      # @param age_ns [Integer] negative after the clock was set back
      def age(age_ns)
        return word(:newest, age: View::Figures.duration(age_ns)) if age_ns >= NS
        return word(:newest_now) if age_ns > -NS
        word(:newest_ahead, ahead: View::Figures.duration(-age_ns))
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
