# frozen_string_literal: true

require "prism"

# The constants that a file refers to, each with where it is defined. Looked up as Ruby does: in what encloses
# the reference, in its ancestors, then at the top. What is not loaded here (a server's own classes) is left
# out.
class ConstantReferences
  PATH = /\A[A-Z]\w*(::[A-Z]\w*)*\z/

  # @param file [String] whose own constants are loaded
  def initialize(file)
    @tree = Prism.parse_file(file).value
    @nesting = []
  end

  # @yieldparam name [String] as written
  # @yieldparam line [Integer]
  # @yieldparam places [Array<String, nil>] the file of each part of the name
  # @return [void]
  def each(&block)
    @block = block
    visit(@tree)
  end

  private

  def visit(node)
    case node
    when Prism::ModuleNode, Prism::ClassNode then inside(node)
    when Prism::ConstantPathNode
      PATH.match?(node.slice) ? refer(node) : node.compact_child_nodes.each { |child| visit(child) }
    when Prism::ConstantReadNode then refer(node)
    else node.compact_child_nodes.each { |child| visit(child) }
    end
  end

  def inside(node)
    visit(node.superclass) if node.is_a?(Prism::ClassNode) && node.superclass
    opened = opened(node.constant_path.slice)
    @nesting.push(opened) if opened
    visit(node.body) if node.body
    @nesting.pop if opened
  end

  def opened(path)
    [*@nesting.reverse, Object].each do |scope|
      return path.split("::").inject(scope) { |owner, name| owner.const_get(name, owner.equal?(Object)) }
    rescue NameError
      next
    end
    nil
  end

  def refer(node)
    places = places(*node.slice.split("::"))
    @block.call(node.slice, node.location.start_line, places) if places
  end

  def places(head, *rest)
    owner = scope_of(head)
    [head, *rest].map do |name|
      break unless owner.is_a?(Module)
      place = owner.const_source_location(name)&.first
      owner = owner.const_get(name)
      place
    end
  rescue NameError, LoadError
    nil
  end

  def scope_of(name)
    lexical = @nesting.reverse.find { |scope| scope.const_defined?(name, false) }
    return lexical if lexical
    inherited = @nesting.last
    inherited&.const_defined?(name) ? inherited : Object
  end
end
