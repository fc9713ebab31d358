# frozen_string_literal: true

module Holdup
  class Web
    # Which language a browser gets.
    module Language
      KNOWN = %w[en ja].freeze
      PART = /\A\s*([a-zA-Z]{1,8})(?:-[a-zA-Z0-9-]*)?(?:\s*;\s*q=([01](?:\.\d{1,3})?))?\s*\z/

      module_function

      # @param asked [String, nil] in the address
      # @param header [String, nil] Accept-Language
      # @return [String] one of KNOWN
      def of(asked, header, default = nil)
        KNOWN.find { |language| language == asked } || accepted(header) || default || KNOWN.first
      end

      def accepted(header)
        wishes = header.to_s.b[0, 200].split(",").filter_map { |part| PART.match(part)&.captures }
        wishes.map { |language, weight|
          [language.downcase,
            (weight || 1).to_f]
        }.select { |language, weight| KNOWN.include?(language) && weight.positive? }
          .max_by(&:last)&.first
      end
      private_class_method :accepted
    end
  end
end
