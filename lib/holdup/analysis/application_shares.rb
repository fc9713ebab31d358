# frozen_string_literal: true

module Holdup
  module Analysis
    # Share of the units of each application ({name => share}, most units first) where several share a host or
    # a store: figures over all of them describe none.
    class ApplicationShares < Data.define(:shares)
      # Name of an application that does not set `config.app`.
      UNNAMED = "-"
      SHOWN = 6

      # @param counts [Enumerable<(Setting, Integer)>] units of each setting
      def self.of(counts)
        by_name = counts.group_by { |setting, _| name(setting) }
        units = by_name.transform_values { |pairs| pairs.sum(&:last) }.select { |_, count| count.positive? }
        all = units.values.sum
        new(shares: units.sort_by { |_, count| -count }.to_h { |name, count| [name, count.fdiv(all)] })
      end

      def self.name(setting)
        setting&.[]("app") || UNNAMED
      end

      # "shop puma", so that the same server of two applications is two.
      def self.server(setting, server)
        parts = [setting&.[]("app"), server].compact
        parts.join(" ") if parts.any?
      end

      def several? = shares.size > 1

      # "storefront 80 %, admin 20 %"
      def to_s
        texts = shares.first(SHOWN).map { |name, share| "#{name} #{(share * 100).round} %" }
        texts << "..." if shares.size > SHOWN
        texts.join(", ")
      end
    end
  end
end
