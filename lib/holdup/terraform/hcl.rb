# frozen_string_literal: true

module Holdup
  module Terraform
    # Writes Terraform's language (HCL 2) laid out as `terraform fmt` does.
    module Hcl
      # An expression that is written as it is; any String is a text and keeps its "${".
      Code = Data.define(:text)

      # A block: its attributes, then its inner blocks.
      Block = Data.define(:type, :labels, :attributes, :blocks) do
        def initialize(type:, labels:, attributes:, blocks: [])
          super
        end
      end

      ESCAPES = {"\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t", "${" => "$${",
                 "%{" => "%%{"}.freeze
      INDENT = "  "

      module_function

      # @param block [Block]
      # @return [String] ends with a newline
      def render(block)
        head = [block.type, *block.labels.map { |label| quote(label) }].join(" ")
        inner = [attributes(block.attributes),
          *block.blocks.map { |each| render(each) }].reject(&:empty?).join("\n")
        "#{head} {\n#{indent(inner)}}\n"
      end

      # @param value [String, Numeric, Boolean, nil, Array, Hash, Code]
      # @return [String]
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

      # @param text [String]
      # @return [String] a text that stays one
      def quote(text)
        "\"#{text.gsub(/[\\"\n\r\t]|[$%]\{/, ESCAPES)}\""
      end

      # One on each line; the signs of those that follow each other and take a line each stand below each
      # other.
      def attributes(pairs)
        written = pairs.map { |name, given| [name.to_s, value(given)] }
        groups = written.slice_when { |one, other| [one, other].any? { |_, text| text.include?("\n") } }
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
