# frozen_string_literal: true

module Bench
  # A page of docs/measurements: words by hand, and between two marks a bench's figures as it measured them.
  class Document
    ROOT = File.expand_path("../..", __dir__)
    FOLDER = "docs/measurements"
    # The benches of each page.
    PAGES = {
      "cost.md" => %w[release unit holders calls call-truth boot holds hold-truth jit-probe fibers
        instructions rails sidekiq shutdown capture collector],
      "reports.md" => %w[start web viewer replay],
      "comparisons.md" => %w[compare],
      "predictions.md" => %w[predict predict-open predict-uneven predict-jobs predict-active-job
        predict-backlog capsules predict-growth predict-database predict-database-jobs coverage
        coverage-users],
      "experiments.md" => %w[autopilot experiment],
      "yjit.md" => %w[jit],
      "upgrade.md" => %w[upgrade],
      "scaling.md" => %w[scaling],
      "fleet.md" => %w[fleet],
      "memory.md" => %w[memory memory-kills],
      "whom.md" => %w[whom whom-locks whom-transactions whom-week]
    }.freeze

    # @param name [String] of a bench
    # @return [Document] that has its figures
    def self.of(name)
      page, _benches = PAGES.find { |_page, benches| benches.include?(name) }
      new(File.join(ROOT, FOLDER, page))
    end

    # @return [String]
    attr_reader :path

    # @param path [String]
    def initialize(path)
      @path = path
    end

    # @param name [String] of the bench
    # @param text [String] Markdown
    # @return [void]
    # @raise [Failure] when the document has no place for it
    def replace(name, text)
      first, last = self.class.marks(name)
      document = File.read(@path)
      before, _, rest = document.partition(first)
      _, found, after = rest.partition(last)
      if found.empty?
        raise Failure, "#{@path} has no lines #{first} and #{last}: put them where the figures belong"
      end
      File.write(@path, "#{before}#{first}\n\n#{text}\n#{last}#{after}")
    end

    # @param name [String] of the bench
    # @return [Array<String>] the lines before and after its figures
    def self.marks(name)
      ["<!-- bench:#{name} -->", "<!-- /bench:#{name} -->"]
    end
  end
end
