# frozen_string_literal: true

module Holdup
  module Terraform
    # Writes Terraform's language (HCL 2) laid out as `terraform fmt` does.
    module Hcl
      # An expression, written as it is. In a String, "${" is escaped.
      Code = Data.define(:text)

      Block = Data.define(:type, :labels, :attributes, :blocks) do
        def initialize(type:, labels:, attributes:, blocks: [])
          super
        end
      end

      ESCAPES = {"\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t", "${" => "$${",
                 "%{" => "%%{"}.freeze
      INDENT = "  "

      module_function

      # @return [String] ends with a newline
      def render(block)
        head = [block.type, *block.labels.map { |label| quote(label) }].join(" ")
        parts = [attributes(block.attributes), *block.blocks.map { |inner| render(inner) }]
        "#{head} {\n#{indent(parts.reject(&:empty?).join("\n"))}}\n"
      end

      def value(value)
        case value
        when String then quote(value)
        when Code then value.text
        when Array then array(value)
        when Hash then value.empty? ? "{}" : "{\n#{indent(attributes(value))}}"
        when nil then "null"
        else value.to_s
        end
      end

      # @return [String] a literal, without interpolation
      def quote(text)
        "\"#{text.gsub(/[\\"\n\r\t]|[$%]\{/, ESCAPES)}\""
      end

      # One per line. `terraform fmt` aligns the equal signs of neighbours that take one line each.
      def attributes(pairs)
        written = pairs.map { |name, given| [name.to_s, value(given)] }
        groups = written.slice_when { |*neighbours| neighbours.any? { |_, text| text.include?("\n") } }
        groups.map { |group| aligned(group) }.join
      end

      def aligned(group)
        width = group.map { |name, _| name.size }.max
        group.map { |name, text| "#{name.ljust(width)} = #{text}\n" }.join
      end

      def array(values)
        parts = values.map { |each| value(each) }
        return "[#{parts.join(", ")}]" if parts.none? { |part| part.include?("\n") } && parts.sum(&:size) < 80
        "[\n#{indent(parts.map { |part| "#{part},\n" }.join)}]"
      end

      def indent(text) = text.gsub(/^(?=.)/, INDENT)
      private_class_method :attributes, :aligned, :array, :indent
    end
  end
end
