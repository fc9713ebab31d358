# frozen_string_literal: true

module Holdup
  module Analysis
    # Whose units they are, where several applications share a host or a store: figures over all of them are
    # nobody's.
    #
    # - `shares`: {name of the application => share of the units}, most units first
    class ApplicationShares < Data.define(:shares)
      # Where `config.app` does not say it.
      UNNAMED = "-"
      SHOWN = 6

      # @param counts [Enumerable<(Setting, Integer)>] units of each setting
      # @return [ApplicationShares]
      def self.of(counts)
        units = counts.group_by { |setting, _| name(setting) }.transform_values { |own| own.sum(&:last) }.select { |_, count|
          count.positive?
        }
        new(shares: units.sort_by { |_, count| -count }.to_h { |name, count|
          [name,
            count.fdiv(units.values.sum)]
        })
      end

      # @param setting [Setting, nil]
      # @return [String] of whose processes it is
      def self.name(setting)
        setting&.[]("app") || UNNAMED
      end

      # @param setting [Setting, nil]
      # @param server [String, nil] that it is of
      # @return [String, nil] "shop puma", so that the same server of two applications is two
      def self.server(setting, server)
        [setting&.[]("app"), server].compact.then { |parts| parts.join(" ") if parts.any? }
      end

      # @return [Boolean]
      def several? = shares.size > 1

      # @return [String] "storefront 80 %, admin 20 %"
      def to_s
        [*shares.first(SHOWN).map { |name, share| "#{name} #{(share * 100).round} %" }, *(if shares.size > SHOWN
                                                                                            "..."
                                                                                          end)].join(", ")
      end
    end
  end
end
