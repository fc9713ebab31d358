# frozen_string_literal: true

module Holdup
  class CLI
    # In which form a command says what it has to say: by `--format NAME`, or by the name alone.
    module Formats
      MEANINGS = {json: "for programs", markdown: "for a pull request or an issue",
                  html: "one file for a browser; name it with --out"}.freeze

      module_function

      # @param parser [OptionParser]
      # @param values [Hash] that gets `:format`
      # @param known [Array<Symbol>] :text and some of MEANINGS
      # @return [void]
      def declare(parser, values, known)
        parser.on("--format FORMAT", known.join(", ")) { |text| choose(values, Queries::OptionValues.choice("--format", text, known)) }
        (known - %i[text]).each { |name|
          parser.on("--#{name}", MEANINGS.fetch(name)) { choose(values, name) }
        }
      end

      # @raise [UsageError] for the second of two
      def choose(values, name)
        unless [nil, name].include?(values[:format])
          raise UsageError.new("--#{values[:format]} and --#{name} can't be combined",
            "leave out one of them")
        end
        values[:format] = name
      end
      private_class_method :choose
    end
  end
end
