# frozen_string_literal: true

module Holdup
  class CLI
    # The arguments of `holdup report` as the keywords of Report.
    class ReportOptions
      USAGE = "holdup report [options]"
      # More rows, and a file might be larger than 1 MB.
      HTML_LIMIT = 100

      # @param console [Console] for the time
      def initialize(console)
        @now_s = console.clock.realtime_s
      end

      # @param argv [Array<String>]
      # @return [Hash{Symbol => Object}]
      # @raise [UsageError]
      def parse(argv)
        values = Options.new(USAGE) { |parser, read| declare(parser, read) }.parse(argv)
        values.key?(:help) ? values : keywords(values)
      end

      private

      def declare(parser, values)
        span(parser, values)
        choice(parser, values)
        view(parser, values)
        parser.on("--store URL", "sqlite:///path or a path ($HOLDUP_STORE)") { |text| values[:store] = text }
        parser.on("--dir DIR", "folder of the segments ($HOLDUP_DIR)") { |text| values[:dir] = text }
        parser.on("--lang LANG", View::Words::LANGUAGES.keys.join(" or ")) { |text| values[:language] = text }
      end

      def span(parser, values)
        parser.on("--since TIME", "30m, 1h (the default), 2d ago, or 2026-11-21T12:00") { |text|
          values[:since] = moment("--since", text)
        }
        parser.on("--until TIME", "the same; now is the default") { |text|
          values[:until] = moment("--until", text)
        }
        parser.on("--fresh", "wait until all that was measured is stored") { values[:fresh] = true }
      end

      def choice(parser, values)
        parser.on("--kind KIND", "request or job") { |text| values[:kind] = Queries::OptionValues.choice("--kind", text, %i[request job]) }
        parser.on("--app NAME", "only this application's (HOLDUP_APP)") { |text| values[:app] = text }
        parser.on("--name GLOB", "only names like 'Orders*' (job classes too)") { |text|
          values[:name] = text
        }
        parser.on("--queue NAME", "only jobs of this queue") { |text| values[:queue] = text }
        parser.on("--threads N", "only while processes had N threads") { |text| values[:threads] = Queries::OptionValues.whole("--threads", text, 1..10_000) }
      end

      def view(parser, values)
        parser.on("--by WHAT", "rows by name, setting, process, queue or priority") { |text|
          values[:by] = Queries::OptionValues.choice("--by", text, Analysis::SeriesRow::Grouping::BY)
        }
        parser.on("--sort KEY", "by stalled, caused, wall or count") { |text|
          values[:sort] = Queries::OptionValues.choice("--sort", text, Analysis::SeriesRow::Grouping::SORT.keys)
        }
        Formats.declare(parser, values, Report::FORMATS)
        parser.on("--out FILE", "write it there") { |text| values[:out] = text }
        parser.on("--limit N", "rows of each table (#{Report::LIMIT})") { |text| values[:limit] = Queries::OptionValues.whole("--limit", text, 1..100_000) }
        parser.on("--details", "also the means of slices of each row") { values[:details] = true }
      end

      def keywords(values)
        filter = Analysis::UnitFilter.new(**values.slice(:kind, :name, :queue, :threads))
        from_s, to_s = span_of(values)
        by = by_of(values, filter)
        filter = filter.with(kind: :job) if by == :priority
        check_html(values) if values[:format] == :html
        live = !values.key?(:until)
        if values[:fresh] && !live
          raise UsageError.new("--fresh can't be combined with --until", "leave one of them out")
        end
        {from_s:, to_s:, filter:, by:, sort: values.fetch(:sort, :stalled), format: values.fetch(:format, :text),
         limit: values.fetch(:limit, Report::LIMIT), details: values.fetch(:details, false), live:,
         **values.slice(:app, :out, :store, :language, :fresh, :dir)}
      end

      # Pages have rows by name, and those of the worst units have all of them.
      def check_html(values)
        other = %i[by details].find { |key| values[key] && values[key] != :name }
        if other
          raise UsageError.new("--#{other} can't be combined with --format html",
            "the file has rows by name, and the means of slices of each unit it has a page of")
        end
        return if values.fetch(:limit, 1) <= HTML_LIMIT
        raise UsageError.new("--limit is at most #{HTML_LIMIT} with --format html",
          "a file that is mailed has to stay small")
      end

      def moment(option, text)
        Queries::OptionValues.moment(option, text, now_s: @now_s)
      end

      def span_of(values)
        to_s = values.fetch(:until, @now_s)
        from_s = values.fetch(:since, to_s - 3600)
        return [from_s, to_s] if from_s < to_s
        raise UsageError.new("--since is not before --until",
          "the report would cover no time; swap or correct them")
      end

      # A process's window holds all its units in one, and so does a priority's, which only jobs have.
      def by_of(values, filter)
        by = values.fetch(:by, :name)
        if by == :process && filter.narrow?
          raise UsageError.new("--by process can't be combined with --kind, --name or --queue",
            "leave one of them out")
        end
        if by == :priority && (filter.name || filter.kind == :request)
          raise UsageError.new("--by priority can't be combined with --name or --kind request",
            "leave one of them out")
        end
        by
      end
    end
  end
end
