# frozen_string_literal: true

module Holdup
  class CLI
    # `holdup docs`: the names of the pages of guide and reference, or one of them as it is written.
    class Docs
      extend CommandArguments

      OPTIONS = Options.new("holdup docs [name]", rest: :names, mixed: true)

      # @return [Array<String>] what can follow its name
      def self.words = GuidePages.all.keys

      def self.keywords(given, console)
        {**given.with_defaults, language: given.language || Places.language(console.env)}
      end

      # @param names [Array<String>] of one page, or nothing
      # @param language [String] of pages that have a translation
      # @raise [UsageError]
      def initialize(console:, names: [], language: View::LocaleFiles::DEFAULT)
        @console = console
        @language = language
        name, *more = names
        raise UsageError.new("docs takes one name", "`holdup docs` lists them") if more.any?
        @page = name && GuidePages.fetch(name)
      end

      def run
        @console.show(@page ? @page.text(@language) : list)
        OK
      end

      private

      def list
        pages = GuidePages.all
        widest = pages.keys.map(&:size).max.to_i
        pages.map { |name, page| "#{shortened("#{name.ljust(widest)}  #{page.about(@language)}")}\n" }.join
      end

      # A pipe or file has no width.
      def shortened(line)
        @console.columns ? View::Width.truncate(line, @console.columns) : line
      end
    end
  end
end
