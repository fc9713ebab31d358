# frozen_string_literal: true

module Bench
  # A page such as docs/benchmarks.md: words by hand, and between two marks a bench's figures as it measured them.
  class Document
    # @param path [String]
    def initialize(path)
      @path = path
    end

    # @param name [String] of the bench
    # @param text [String] Markdown
    # @return [void]
    # @raise [Failure] when the document has no place for it
    def replace(name, text)
      first, last = "<!-- bench:#{name} -->", "<!-- /bench:#{name} -->"
      document = File.read(@path)
      before, _, rest = document.partition(first)
      _, found, after = rest.partition(last)
      raise Failure, "docs/#{File.basename(@path)} has no lines #{first} and #{last}: put them where the figures belong" if found.empty?
      File.write(@path, "#{before}#{first}\n\n#{text}\n#{last}#{after}")
    end
  end
end
