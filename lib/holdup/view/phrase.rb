# frozen_string_literal: true

module Holdup
  module View
    # A sentence of a locale with its values filled in. Besides `%{name}` a sentence may contain
    #
    # - `{name:process|processes}`: the first form if that value is 1, else the second
    # - `[[, %{name} in all]]`: a part that is left out if one of its values is missing
    #
    #   text = "%{count} {count:process|processes}[[, %{share} busy]]."
    #   Phrase.call(text, {count: "1", share: "-"}, unknown: "unknown") # => "1 process."
    #
    # A missing value outside such a part is shown as unknown, and a value that ends with a full stop loses it
    # if the sentence continues with one.
    module Phrase
      VALUE = /%\{(\w+)\}/
      FORMS = /(?<!%)\{(\w+):([^|{}]*)\|([^|{}]*)\}/
      PART = /\[\[(.*?)\]\]/m
      # Closing punctuation of both languages after a value.
      ENDED = /[.;。；]+\z/
      BEFORE_A_STOP = /%\{(\w+)\}(?=[.,;:。、；：])/
      MISSING = "-"
      ONE = "1"

      module_function

      # @param text [String] of a locale
      # @param unknown [String] text for a missing value
      def call(text, values, unknown:)
        return text unless text.match?(/%\{|\{\w+:[^{}]*\||\[\[/)
        text = formed(parted(text, values), values)
        values = complete(text, values, unknown)
        text.gsub(VALUE) { values.fetch($1.to_sym) }
      end

      def missing?(value)
        value.nil? || value == MISSING
      end

      def parted(text, values)
        text.gsub(PART) do |part|
          inside = part.delete_prefix("[[").delete_suffix("]]")
          (inside.scan(VALUE).any? { |(name)| missing?(values[name.to_sym]) }) ? "" : inside
        end
      end

      def formed(text, values)
        text.gsub(FORMS) { (values[$1.to_sym].to_s == ONE) ? $2 : $3 }
      end

      def complete(text, values, unknown)
        stopped = text.scan(BEFORE_A_STOP).map { |(name)| name.to_sym }
        values.to_h do |name, value|
          next [name, unknown] if missing?(value)
          [name, (value.is_a?(String) && stopped.include?(name)) ? value.sub(ENDED, "") : value]
        end
      end
      private_class_method :parted, :formed, :complete
    end
  end
end
