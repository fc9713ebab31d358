# frozen_string_literal: true

module Holdup
  module Advise
    # What `holdup advise` is asked by `--if` and `--io`: commands with names and options of their own.
    module OtherQuestion
      # Commas between changes: a name and "=" follow.
      BETWEEN = /,(?=[a-z-]+=)/

      # @param argv [Array<String>] arguments of `holdup advise`
      # @return [Array(Class, Array<String>), nil] the command that answers, and its arguments
      # @raise [UsageError] both are asked
      def self.find(argv)
        words = argv.flat_map { |word| word.match?(/\A--i[fo]=/) ? word.split("=", 2) : [word] }
        asked = %w[--if --io] & words
        return [CalculateCommand, words] if asked == %w[--io]
        return [WhatifCommand, changed(words)] if asked == %w[--if]
        return if asked.empty?
        raise UsageError.new("--if and --io ask different questions",
          "--if replays a recording, --io computes from a share alone; give one of them")
      end

      # @return [Array<String>] "--if threads=3,load=x2" as "--threads 3 --load x2"
      def self.changed(words)
        changes = []
        others = words.dup
        while (at = others.index("--if"))
          _, text = others.slice!(at, 2)
          changes.concat(options(text))
        end
        [*changes, *others]
      end

      def self.options(text)
        text.to_s.split(BETWEEN).flat_map do |change|
          name, value = change.split("=", 2)
          return refuse(text) unless value
          ["--#{name}", value]
        end
      end

      def self.refuse(text)
        raise UsageError.new("--if can't be #{text[0, 100].inspect}",
          "it takes changes such as threads=3 or threads=3,load=x2; `holdup whatif --help` lists them")
      end
      private_class_method :changed, :options, :refuse
    end
  end
end
