# frozen_string_literal: true

require_relative "keys"

module Holdup
  module ConfigurationKeys
    # Documentation of the settings, generated from the table of keys.
    module Documents
      WIDTH = 100

      class << self
        # Content of config/initializers/holdup.rb: every setting, commented out and explained.
        def initializer
          <<~RUBY
            # frozen_string_literal: true

            # Holdup measures who holds the GVL and who waits for it. It works without this file; each line
            # below shows a setting's default or an example. Environment variables (HOLDUP_...) override this
            # file.
            Holdup.configure do |config|
            #{ALL.map { |key| setting(key) }.join("\n")}end
          RUBY
        end

        # Rows of docs/configuration.md, with the first sentence of each explanation. `holdup help settings`
        # and the initializer have all of it.
        def table
          header = ["| setting | environment | default | what it does |", "|---|---|---|---|"]
          [*header, *ALL.map { |key| row(key) }].join("\n") + "\n"
        end

        # @return [String] the same on all Rubies
        def default(key)
          return "$stderr" if key.default.equal?($stderr)
          return key.default.inspect unless key.default.is_a?(Hash)
          pairs = key.default.map { |name, value| "#{name}: #{value.inspect}" }
          "{#{pairs.join(", ")}}"
        end

        private

        def row(key)
          variable = key.env ? "`#{key.env}`" : "–"
          summary = key.help[/\A.+?\.(?=\s|\z)/].gsub("|", "\\|")
          "| `#{key.name}` | #{variable} | `#{default(key)}` | #{summary} |"
        end

        def setting(key)
          variable = " Environment: #{key.env}." if key.env
          lines = wrap("#{key.help}#{variable}", WIDTH - 4)
          [*lines, "config.#{key.name} = #{key.example}"].map { |line| "  # #{line}\n" }.join
        end

        def wrap(text, width)
          text.gsub(/(.{1,#{width}})(\s+|\z)/, "\\1\n").lines.map(&:chomp)
        end
      end
    end
  end
end
