# frozen_string_literal: true

module Holdup
  module Report
    # The arguments of `holdup report` as the keywords of its Command.
    class Command::Arguments
      # With more rows a file may exceed 1 MB.
      HTML_LIMIT = 100

      # @param given [CLI::GivenOptions]
      def initialize(given)
        @given = given
        @now_s = given.now_s
      end

      # @raise [UsageError]
      def keywords
        values = @given.values
        filter = Analysis::UnitFilter.new(**values.slice(:kind, :name, :queue, :threads))
        from_s, to_s = span_of(values)
        by = by_of(filter)
        filter = filter.with(kind: :job) if by == :priority
        check_html(values) if values[:format] == :html
        check_table(values) if values[:table]
        live = !values.key?(:until)
        check_watch(values) if values[:watch]
        if values[:fresh] && !live
          raise UsageError.new("--fresh can't be combined with --until", "leave one of them out")
        end
        {
          **@given.with_defaults.except(:since, :until, :kind, :name, :queue, :threads, :table, :full),
          from_s:,
          to_s:,
          filter:,
          by:,
          live:,
          moves: @given.moves?("since"),
          show: show(values),
          again: @given.for_commands(ReportScreen::NextCommands::COMMANDS)
        }
      end

      private

      # Rows and details are of tables that the screen does not have.
      def show(values)
        return values[:table] if values[:table]
        (%i[full details limit].any? { |key| values[key] }) ? :full : :screen
      end

      # What it watches ends now, and no picture waits for the collector.
      def check_watch(values)
        other = %i[until fresh].find { |key| values.key?(key) } or return
        raise UsageError.new("--watch and --#{other} can't be combined", "leave out one of them")
      end

      def check_table(values)
        other = "--full" if values[:full]
        format = values[:format]
        profile = Captures::MethodProfile::FORMATS.include?(format) && values[:table] != :methods
        other = "--format #{format}" if profile || %i[json html].include?(format)
        return unless other
        raise UsageError.new("--table can't be combined with #{other}", "leave one of them out")
      end

      # An HTML file lists rows by name and has the group means on its pages.
      def check_html(values)
        other = %i[by details].find { |key| values[key] && values[key] != :name }
        if other
          raise UsageError.new("--#{other} can't be combined with --format html",
            "the file has rows by name, and the means of slices on each of its pages")
        end
        return if values.fetch(:limit, 1) <= HTML_LIMIT
        raise UsageError.new("--limit is at most #{HTML_LIMIT} with --format html",
          "a file that is mailed has to stay small")
      end

      def span_of(values)
        to_s = values.fetch(:until) { CLI::Options.until_now(@now_s) }
        from_s = values.fetch(:since) { values.fetch(:until, @now_s) - 3600 }
        Queries::SelectionOptions.ordered(from_s, to_s)
      end

      # A process's window sums all its requests and jobs, and so does a priority's; only jobs have
      # priorities.
      def by_of(filter)
        by = @given.with_defaults.fetch(:by)
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
